"""What each rank did in the end of its job, in a word and a sentence, once it is known who was first. Pure."""

from __future__ import annotations

from outlive.coroner.ranks.ends import hangs, is_from_outside, is_innocent
from outlive.coroner.ranks.phrases import place_words
from outlive.model.ranks.job import Part, RankRecord, State
from outlive.model.ranks.membership import rank_words


def part_of(
    record: RankRecord, first: bool, found: bool, lost: str, cancelled: bool
) -> tuple[Part, str]:
    """The part of one rank; ``found`` says that there is a first one, ``lost`` whom this one lost in the end, ``cancelled`` that all were ended from outside."""
    if first:
        return Part.FIRST, _says_of_the_first(record, cancelled)
    if record.state is State.ABSENT:
        return Part.NO_RECORD, "left no record"
    if record.failed and record.loss is not None and is_innocent(record):
        direct = record.lost
        whom = rank_words(direct) if direct else "a peer"
        over = f", and that one {rank_words(lost)}" if lost and direct and lost != direct else ""
        words = f"waited in vain for {whom}" if record.waited else f"lost {whom}{over}"
        return Part.VICTIM, words
    if record.failed and (record.by_launcher or is_from_outside(record)):
        return Part.ENDED, record.cause.says if record.cause is not None else "was ended"
    if record.failed:
        cause = record.cause
        part = Part.ALSO if cause is not None else Part.UNKNOWN
        return part, cause.says if cause is not None else "ended, and nobody knows of what"
    if record.state is State.RUNNING or hangs(record):
        waits = record.in_framework or record.waited
        if waits and found:
            call = f" in {record.waits_in}" if record.waits_in else ""
            return Part.WAITS, f"waits{call} for the others"
        return Part.RUNNING, "is running"
    return Part.FINISHED, "ended well"


def _says_of_the_first(record: RankRecord, cancelled: bool) -> str:
    if record.state is State.ABSENT:
        return "left no record"
    if record.failed and record.cause is not None and not is_innocent(record) and not (cancelled and is_from_outside(record)):  # fmt: skip
        return record.cause.says
    if record.state is State.ENDED and not record.failed and not hangs(record):
        at = f" at {place_words(record.left_at)}" if record.left_at else ""
        return f"It left the job{at} with status 0 before the others were done."
    if record.stands is not None:
        return f"It holds the others up: its main thread was last seen at {place_words(record.stands)}."
    return record.cause.says if record.cause is not None else "It ended, and nobody knows of what."
