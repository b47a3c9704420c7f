"""Nouns: a rank of a job, as its launcher told it. Frozen and picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Membership:
    """The job that a program is a rank of."""

    job: str
    rank: str = (
        ""  #: ``2``; of a cluster of TensorFlow ``worker/1``; empty where only the job is known
    )
    size: int | None = None  #: how many ranks there are
    launcher: str = ""  #: who told: ``torchrun``, ``srun``, ``TF_CONFIG``
    attempt: int = 0  #: how often the launcher had started it before
    addresses: Mapping[str, str] = field(default_factory=dict)  #: of ranks, as ``host:port``
    host: str = ""

    @property
    def words(self) -> str:
        """This rank, for the middle of a sentence."""
        return rank_words(self.rank) if self.rank else "this process"

    def expected(self) -> tuple[str, ...]:
        """Every rank of the job, where that is known."""
        if self.addresses:
            return tuple(self.addresses)
        if self.size is None or not self.rank.isdigit():
            return ()
        return tuple(str(number) for number in range(self.size))

    def rank_at(self, address: str) -> str:
        """The rank that listens at an address, or nothing."""
        return next((rank for rank, known in self.addresses.items() if known == address), "")

    def host_of(self, rank: str) -> str:
        """The host of a rank by its address, or nothing."""
        return self.addresses.get(rank, "").rpartition(":")[0]


def rank_words(rank: str) -> str:
    """A rank as a sentence names it: ``rank 2``, ``worker 1``."""
    job, _, number = rank.rpartition("/")
    return f"{job} {number}" if job else f"rank {number}"
