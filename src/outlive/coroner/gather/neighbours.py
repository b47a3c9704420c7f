"""Samples of the group -> how its limit was filled last, by the program or by its neighbours."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from outlive.coroner.readings.readings import Payload, Readings, integer, number
from outlive.model.memory import LastRise, Neighbour

#: The last part of a limit: who filled it is told, not who came first.
LAST_PART = 0.15

#: A cgroup that is so full is the limit that mattered; otherwise it was the machine.
NEARLY_FULL = 0.8

#: A process that is being killed gives its memory back while it is sampled.
DYING_SECONDS = 0.3

#: Neighbours are not read at every sample, where there are many.
RECENT_SECONDS = 1.0

#: A peak that is so much above all samples was never sampled.
UNSEEN_PEAK = 1.02


class Level(NamedTuple):
    """How full it was at one sample, and how much of that was the program's own."""

    at: float
    used: int  #: without the file cache, where that is known
    own: int
    neighbours: Mapping[int, int] | None = None


def last_rise_of(readings: Readings) -> LastRise | None:
    """How the limit that was nearest was filled, up to the death of the program, or to the highest level that was seen."""
    living = [sample for sample in readings.samples if integer(sample.get("rss"))]
    if not living:
        return None
    killed = readings.exit.get("signal") == signal.SIGKILL
    path, limit = _nearest(living[-1] if killed else max(living, key=_fullest))
    if path is None:
        limit = integer(readings.run.get("memory_total"))
    levels = [level for sample in living if (level := _level(sample, path, limit or 0)) is not None]
    if not limit or not levels:
        return None
    read = levels
    if not killed:
        highest = max(levels, key=lambda level: level.used).at
        read = [level for level in levels if level.at <= highest + DYING_SECONDS]
        levels = levels[: levels.index(max(levels, key=lambda level: level.used)) + 1]
    last = levels[-1]
    full = max(limit, last.used) if killed else last.used
    before = [level for level in levels[:-1] if level.used <= full - LAST_PART * limit]
    first = before[-1] if before else levels[0]
    held = max(level.own for level in levels if level.at >= last.at - DYING_SECONDS)
    own_at_end = max(held, _unseen_peak(readings, living) or 0) if killed else held
    own = own_at_end - first.own
    grown = max(full - first.used, own)
    if grown <= 0:
        return None
    return LastRise(
        limit_bytes=limit,
        grown_bytes=grown,
        own_bytes=own_at_end,
        own_grown_bytes=own,
        seconds=last.at - first.at,
        neighbours=_neighbours(readings, read, first, killed),
    )


def _fullest(sample: Payload) -> float:
    return max(
        (entry[2] / entry[3] for entry in sample.get("groups") or () if entry[2] and entry[3]),
        default=0.0,
    )


def _nearest(sample: Payload) -> tuple[str | None, int | None]:
    """The cgroup that is nearest to its limit, and the limit; none when it is not full."""
    limited = [entry for entry in sample.get("groups") or () if entry[2] and entry[3]]
    if not limited:
        return None, None
    nearest = max(limited, key=lambda entry: entry[2] / entry[3])
    available = integer(sample.get("available"))
    short = available is not None and available < nearest[3] - nearest[2]
    if short and nearest[2] < NEARLY_FULL * nearest[3]:
        return None, None
    return nearest[0], nearest[3]


def _level(sample: Payload, path: str | None, limit: int) -> Level | None:
    if path is None:
        available = integer(sample.get("available"))
        used = limit - available if available is not None else None
    else:
        used = next((entry[2] for entry in sample.get("groups") or () if entry[0] == path), None)
        used = used - ((sample.get("cached") or {}).get(path) or 0) if used is not None else None
    if used is None:
        return None
    seen = sample.get("neighbours")
    return Level(
        number(sample.get("at")) or 0.0,
        used,
        integer(sample.get("tree")) or 0,
        dict(seen) if seen is not None else None,
    )


def _unseen_peak(readings: Readings, living: Sequence[Payload]) -> int | None:
    """What the program had at its end, where no sample has seen it: the peak that Linux has kept of it alone."""
    if any((integer(sample.get("processes")) or 1) > 1 for sample in living):
        return None
    peak = integer(readings.exit.get("max_rss")) or 0
    highest = max(integer(sample.get("rss")) or 0 for sample in living)
    return peak if peak > UNSEEN_PEAK * highest else None


def _neighbours(
    readings: Readings, levels: Sequence[Level], first: Level, killed: bool
) -> tuple[Neighbour, ...]:
    """What each neighbour had at the end, and what it had more than when the last part began."""
    seen = [level for level in levels if level.neighbours is not None]
    at_end = readings.end.get("neighbours") if killed else None
    recent = seen[-1:] if seen and levels[-1].at - seen[-1].at <= RECENT_SECONDS else []
    last = dict(recent[0].neighbours or {}) if recent else {}
    last |= dict(at_end or ())
    earlier = [level for level in seen if level.at <= first.at] or seen[:1]
    then = earlier[-1].neighbours if earlier and earlier[-1].at <= first.at else None
    room = max(0, first.used - first.own)  # of all others together, when it began
    commands = readings.end.get("neighbour_commands") or {}
    found = []
    for pid, size in last.items():
        had = min(room, _had(pid, then)) if then is not None else room
        command = tuple(str(word) for word in commands.get(str(pid), ()))
        found.append(Neighbour(pid, command, size, max(0, size - had)))
    return tuple(sorted(found, key=lambda one: (-one.grown_bytes, -one.bytes)))


def _had(pid: int, then: Mapping[int, int]) -> int:
    """The bytes of a neighbour at an earlier reading; of one that is not in it at most as much as the smallest that is."""
    return then.get(pid, min(then.values(), default=0) if len(then) >= KEPT else 0)


#: So many of the largest are kept of one reading.
KEPT = 8
