"""Leases whose workers were lost with everything around them: done again, then in halves, until the one input is found that takes its machine with it. Pure.

A worker that dies is replaced and judged where it was; here it is about actors and nodes, of whose deaths nobody is left who could tell the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outlive.jobs.executor import Outcome
from outlive.jobs.leases.cut import Lease, part_of

#: Losses with a lease in hand before it is divided, and with one input alone before that is condemned; nodes come and go, and most of the time it is not the input.
LOSSES = 3


@dataclass(slots=True)
class _Family:
    """A lease that was divided, and what is known of its inputs."""

    lease: Lease
    outcomes: dict[int, Outcome] = field(default_factory=dict)


class Losses:
    """How often each lease was lost, and the parts of those that were divided."""

    def __init__(self) -> None:
        self._lost: dict[str, int] = {}
        self._families: dict[str, tuple[_Family, tuple[int, ...]]] = {}  #: by the name of a part

    def is_suspect(self, lease: Lease) -> bool:
        """Whether it is to be handed out alone: one that was in hand with the guilty one must not be blamed."""
        return lease.id in self._lost or lease.id in self._families

    def lost(self, lease: Lease, alone: bool = True) -> list[Lease]:
        """What is to be handed out in its place; nothing, when it is one input and was lost too often."""
        before = self._lost.get(lease.id, 0)
        count = before + 1 if alone else max(before, 1)
        self._lost[lease.id] = count
        is_part = lease.id in self._families and len(lease.items) > 1
        if count < LOSSES and not (is_part and alone):
            return [lease]
        del self._lost[lease.id]
        if len(lease.items) == 1:
            return []
        family, places = self._families.pop(
            lease.id, (_Family(lease), tuple(range(len(lease.items))))
        )
        middle = len(places) // 2
        parts = []
        for mine in (places[:middle], places[middle:]):
            part = part_of([family.lease.items[at] for at in mine], f"{lease.id}/{mine[0]}")
            self._families[part.id] = family, mine
            parts.append(part)
        return parts

    def done(
        self, lease: Lease, outcomes: Sequence[tuple[int, Outcome]]
    ) -> tuple[Lease, Mapping[int, Outcome]] | None:
        """The whole lease that this completes; ``None`` while other parts of it are missing."""
        self._lost.pop(lease.id, None)
        known = self._families.pop(lease.id, None)
        if known is None:
            return lease, dict(outcomes)
        family, places = known
        for at, one in outcomes:
            family.outcomes[places[at]] = one
        if len(family.outcomes) < len(family.lease.items):
            return None
        return family.lease, family.outcomes


def item_of(lease: Lease) -> Any:
    """The only input of a lease."""
    (item,) = lease.items
    return item
