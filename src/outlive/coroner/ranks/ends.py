"""How a rank of a job ended, as far as it alone tells: by itself, by another one's end, by somebody outside, or not at all. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from outlive.model.findings import Confidence, EndedBy, EndingKind, Place
from outlive.model.ranks.job import RankRecord, State

#: Clocks that a network keeps are nearer to each other than this; nobody promises more.
SECONDS_BETWEEN_CLOCKS = 5.0
#: What a supervisor may need to see the end of its program: 0.3 s were seen where ten processes fought for a core. Ends that are nearer have no order.
SECONDS_TO_NOTICE = 0.5

#: Causes that only say that somebody outside ended the program.
FROM_OUTSIDE = frozenset(
    {"terminated-by-process", "killed-by-process", "preempted", "interrupted", "terminal-hung-up"}
)

PEER_LOST = "peer-lost"


def candidates(everyone: Sequence[RankRecord]) -> list[RankRecord]:
    """Those that died by themselves. One whose supervisor was ended too, as some launchers do, counts where nobody has a cause."""
    died = [record for record in everyone if record.failed and not is_innocent(record)]
    known = [it for it in died if it.cause is not None or it.state is State.ENDED]
    return known or died


def is_innocent(record: RankRecord) -> bool:
    """Whether its end is the consequence of another one's."""
    if not record.failed:
        return False
    if record.by_launcher:
        return True
    if record.loss is None:
        return False
    fault = (
        record.ending is not None and record.ending.signal and record.ending.by is EndedBy.ITSELF
    )
    if fault and record.cause is not None and record.cause.slug != PEER_LOST:
        return False  # it crashed of something else, whatever it had logged before
    return record.loss >= Confidence.LIKELY or is_from_outside(record) or record.cause is None or record.cause.slug == PEER_LOST  # fmt: skip


def is_from_outside(record: RankRecord) -> bool:
    """Whether somebody else ended it, and nothing is known to be wrong with it."""
    if not record.failed or record.cause is None or record.cause.slug not in FROM_OUTSIDE:
        return False
    return record.ending is None or record.ending.by is not EndedBy.ITSELF


def hangs(record: RankRecord) -> bool:
    """Whether it was seen to stand still, and had not ended then."""
    return record.ending is not None and record.ending.kind is EndingKind.HANG


def was_at_work(record: RankRecord) -> bool:
    """Whether its last line says where it stood: it runs, it hangs, or somebody ended it."""
    if record.stands is None or (record.failed and record.loss is not None):
        return False
    return (
        record.state is State.RUNNING
        or hangs(record)
        or record.by_launcher
        or is_from_outside(record)
    )


def line_of(record: RankRecord) -> Place | None:
    """The line that it was last seen at, or else the one that its own verdict names."""
    return record.stands or (record.cause.where if record.cause is not None else None)


def surely_before(first: RankRecord, other: RankRecord) -> bool:
    """Whether one ended before another, by one clock, or by two that cannot be so far apart."""
    if first.ended is None or other.ended is None:
        return False
    least = SECONDS_TO_NOTICE if first.clock == other.clock else SECONDS_BETWEEN_CLOCKS
    return other.ended - first.ended >= least
