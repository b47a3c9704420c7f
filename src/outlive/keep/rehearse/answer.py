"""Will the whole run live? From what was seen of its first minute. Pure.

"Will live" is said only where everything is known: how many steps there are, what each adds, with room to spare, and no part of a step
that has not been seen. "Will die" only where the least that it can need is too much. Between the two nobody knows, and that is the answer.
"""

from __future__ import annotations

import bisect
import enum
from collections.abc import Sequence

from outlive.keep.rehearse.forecast import Curve, Point, Reach, Shape
from outlive.keep.rehearse.grows import Filling, Growing
from outlive.keep.rehearse.steps import BATCHES, ELEMENTS, SECONDS, Counted
from outlive.keep.rehearse.watch import Watched
from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass

#: Of the limit: so much may be needed where it is said to fit. Two runs of one program differ by some per cent.
SAFE_SHARE = 0.9

#: What a run has gathered is often copied once at its end (stacked, written, plotted), which no rehearsal has seen.
TIMES_GATHERED = 2.0

#: Of the growth of a program: buffers that took so much of it are what grows, and that ends when they are full.
MOSTLY_BUFFERS = 0.6

#: A forecast of the disk rests on few writes.
SURE_OF_DISK = 0.7


class Will(enum.Enum):
    """The answer in one word."""

    LIVE = "lives"
    DIE = "dies"
    GROW = "grows"  #: it dies if it goes on long enough, and how long it goes on is not known
    UNKNOWN = "unknown"


#: The exit status for each.
STATUS = {Will.LIVE: 0, Will.DIE: 1, Will.GROW: 1, Will.UNKNOWN: 3}


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that a rehearsal has found out."""

    watched: Watched
    counted: Counted
    curve: Curve
    growing: Growing | None = None
    filling: tuple[Filling, ...] = ()
    ended_by: str = ""  #: the headline of the verdict, where it died
    cause: Growing | None = None  #: … and what that says
    unseen: str = ""  #: a part of a step that did not come
    places: tuple[
        tuple[str, int, bool, float], ...
    ] = ()  #: file, line, whether it waited for data there, part of the time


@dataclass(frozen=True, slots=True)
class Answer:
    """What is told."""

    will: Will
    says: str
    reach: Reach | None = None
    seconds: float | None = None  #: until the limit is reached, since the start


def points_of(watched: Watched, counted: Counted) -> list[Point]:
    """Memory over steps: what lies between two counts is counted in parts."""
    times = [at for at, _ in counted.series]
    found = []
    for reading in watched.readings:
        step = step_at(times, counted.series, reading.at)
        if step is not None:
            found.append((step, float(reading.bytes)))
    return found


def step_at(times: Sequence[float], series: Sequence[Point], at: float) -> float | None:
    """How many steps had been made at a moment; none before the first was, and after the last count."""
    place = bisect.bisect_right(times, at)
    if place == 0 or place >= len(series):
        return None
    (earlier, before), (later, after) = series[place - 1], series[place]
    if after <= series[0][1]:
        return None
    part = (at - earlier) / (later - earlier) if later > earlier else 0.0
    return before + part * (after - before)


def answer_on(seen: Seen) -> Answer:
    """The answer."""
    watched = seen.watched
    limit = watched.limit_bytes
    share = f"{size(watched.peak_bytes)} of {size(limit)}" if limit else size(watched.peak_bytes)
    if watched.over:
        return Answer(
            Will.DIE, f"Will die: it used {share} within the rehearsal.", seconds=watched.seconds
        )
    if watched.status is not None and watched.status != 0:
        return Answer(
            Will.DIE, f"Died within the rehearsal: {seen.ended_by or f'exit status {watched.status}'}",
            seconds=watched.seconds,
        )  # fmt: skip
    if watched.status == 0:
        return Answer(
            Will.LIVE, f"Will live: it ran to its end within the rehearsal; peak {share}."
        )
    disk = _disk(seen)
    if disk is not None:
        return disk
    if not limit:
        return Answer(Will.UNKNOWN, "Cannot tell: no memory limit could be read.")
    return _memory(seen)


def _memory(seen: Seen) -> Answer:
    curve, counted = seen.curve, seen.counted
    limit, total = float(seen.watched.limit_bytes), counted.total
    if curve.shape is Shape.UNKNOWN:
        return Answer(
            Will.UNKNOWN, f"Cannot tell: {_why_unknown(seen)} Rehearse longer (--seconds)."
        )
    if counted.what == SECONDS:
        return _without_steps(seen)
    left = sum(one.left_bytes for one in seen.filling)
    if left and curve.grows and _is_filling(seen):
        return _fills_up(seen, left)
    reach = curve.reaches(limit)
    spike = seen.watched.spike_bytes
    if reach is not None and not reach.wide:
        if total is not None and curve.at_least(total) > limit:
            return _dies(seen, reach)
        if total is None:
            return _grows(seen, reach)
    if total is None:
        return _without_an_end(seen, reach)
    gathered = curve.at_most(total) - curve.at_most(curve.began)
    grows = curve.shape is not Shape.LEVEL
    most = curve.at_most(total) + spike + (gathered * (TIMES_GATHERED - 1) if grows else 0.0)
    if most > SAFE_SHARE * limit:
        what = f"it needs up to {size(most)} by {counted.name} {total:,.0f}"
        return Answer(
            Will.UNKNOWN,
            f"Cannot tell: {what}, limit {size(limit)}. Too close, or too uncertain.",
            reach,
        )
    if seen.unseen:
        return Answer(Will.UNKNOWN, f"Cannot tell: memory is fine so far, but {seen.unseen}", reach)
    return Answer(
        Will.LIVE,
        f"Will live: needs up to {size(most)} by {counted.name} {total:,.0f}, limit {size(limit)}.",
    )


def _without_steps(seen: Seen) -> Answer:
    """Seconds are no steps: imports and the reading of data take memory at a steady pace, too."""
    reach = seen.curve.reaches(float(seen.watched.limit_bytes))
    if reach is None or reach.wide:
        return Answer(
            Will.UNKNOWN, "Cannot tell: no step was counted. Rehearse longer (--seconds)."
        )
    return Answer(
        Will.UNKNOWN,
        f"Cannot tell: no step was counted. If memory goes on growing as it did, the limit is reached {_when(seen, reach)}.",
        reach,
        reach.step,
    )


def _why_unknown(seen: Seen) -> str:
    if seen.counted.done < 1 or not seen.counted.series:
        return "no step was counted."
    return "memory neither grows steadily nor stays level yet."


def _is_filling(seen: Seen) -> bool:
    """Whether what grew are buffers."""
    points = seen.watched.readings
    grown = seen.curve.level - min(one.bytes for one in points)
    return sum(one.held_bytes for one in seen.filling) >= MOSTLY_BUFFERS * grown


def _fills_up(seen: Seen, left: int) -> Answer:
    """Growth that ends when the buffers are full."""
    limit = seen.watched.limit_bytes
    full = seen.curve.level + left
    reach = seen.curve.reaches(limit)
    names = ", ".join(one.name for one in seen.filling)
    if full > limit and reach is not None:
        when = _when(seen, reach)
        return Answer(
            Will.DIE, f"Will die: {names} will take {size(left)} more, {size(full)} in all; limit {size(limit)}, reached {when}.",
            reach, seconds_to(seen, reach.step),
        )  # fmt: skip
    if (
        full + seen.watched.spike_bytes <= SAFE_SHARE * limit
        and seen.counted.total is not None
        and not seen.unseen
    ):
        return Answer(
            Will.LIVE,
            f"Will live: {names} will take {size(left)} more, {size(full)} in all; limit {size(limit)}.",
        )
    return Answer(
        Will.UNKNOWN,
        f"Cannot tell: {names} will take {size(left)} more, {size(full)} in all (limit {size(limit)}); what comes after was not seen.",
    )


def _dies(seen: Seen, reach: Reach) -> Answer:
    return Answer(
        Will.DIE,
        f"Will die: the limit of {size(seen.watched.limit_bytes)} is reached {_when(seen, reach)}, of {seen.counted.total:,.0f}.",
        reach,
        seconds_to(seen, reach.step),
    )


def _grows(seen: Seen, reach: Reach) -> Answer:
    return Answer(
        Will.GROW,
        f"At this pace the limit of {size(seen.watched.limit_bytes)} is reached {_when(seen, reach)}; how many there will be is not known.",
        reach,
        seconds_to(seen, reach.step),
    )


def _without_an_end(seen: Seen, reach: Reach | None) -> Answer:
    steps = f"how many {seen.counted.name}s there will be is not known"
    if reach is None:
        return Answer(
            Will.UNKNOWN, f"Cannot tell: memory stays at {size(seen.curve.level)}, but {steps}."
        )
    return Answer(Will.UNKNOWN, f"Cannot tell: memory grows too unevenly, and {steps}.", reach)


def _disk(seen: Seen) -> Answer | None:
    """Whether what it writes fits on the disk, where it writes more and more."""
    written, left, total = seen.watched.written, seen.watched.disk_left_bytes, seen.counted.total
    need = disk_need(seen)
    if need is None or left is None or total is None or SURE_OF_DISK * need <= left:
        return None
    return Answer(
        Will.DIE,
        f"Will die: the disk will be full. It wrote {size(written[-1].bytes)} so far and will write about {size(need)} more; {size(left)} are free.",
    )


def disk_need(seen: Seen) -> float | None:
    """What it will still write, at its pace."""
    written, counted = seen.watched.written, seen.counted
    if len(written) < 2 or counted.total is None or counted.done <= 0:
        return None
    middle = written[len(written) // 2].bytes
    if written[-1].bytes <= middle:
        return None
    return written[-1].bytes / counted.done * max(0.0, counted.total - counted.done)


def _when(seen: Seen, reach: Reach) -> str:
    seconds = seconds_to(seen, reach.step)
    after = f", after {span(seconds)}" if seconds is not None else ""
    if seen.counted.what == SECONDS:
        return f"after {span(reach.step)} ({span(reach.earliest)} to {span(reach.latest)})"
    return f"at {seen.counted.name} {reach.step:,.0f} ({reach.earliest:,.0f} to {reach.latest:,.0f}){after}"


def pace(seen: Seen) -> float | None:
    """Steps a second, in the second half of what was seen."""
    series = seen.counted.series
    half = series[len(series) // 2 :]
    if len(half) < 2 or half[-1][0] <= half[0][0]:
        return None
    return (half[-1][1] - half[0][1]) / (half[-1][0] - half[0][0]) or None


def seconds_to(seen: Seen, step: float) -> float | None:
    """From the start to a step, at this pace."""
    each = pace(seen)
    if each is None:
        return None
    return seen.watched.seconds + max(0.0, step - seen.counted.done) / each


def span(seconds: float) -> str:
    """A span of time as a person says it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 200_000 else f"{seconds / 86400:.1f} days"


def unseen_part(counted: Counted, last: dict[str, object]) -> str:
    """A part of a pass that the rehearsal was too short for."""
    if counted.what == BATCHES and last.get("epoch") == 1 and last.get("epochs"):
        return "no epoch ended: its validation and its checkpoint were not seen. Rehearse longer (--seconds)."
    if counted.what == ELEMENTS and counted.total is not None:
        cardinality = last.get("cardinality")
        if isinstance(cardinality, int) and cardinality > counted.done:
            return "the dataset was not read to its end. Rehearse longer (--seconds)."
    return ""
