"""When will memory run out? A line through the last readings, when they still rise."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from outlive.model.events import Sample
from outlive.model.quick_dataclass import dataclass

#: Older readings say little about the next minute.
WINDOW_SECONDS = 30.0

#: Fewer readings, or a shorter time, do not make a trend.
FEWEST = 5
SHORTEST_SECONDS = 2.0

#: The newer half must rise at least at this part of the whole rate: memory that rises to a plateau is fine.
STILL_RISING = 0.5

#: Slower than this is the noise of any program.
SLOWEST_BYTES_PER_SECOND = 1_000_000.0


def room(sample: Sample) -> tuple[int, int] | None:
    """What is used and what there is: of the cgroup that is nearest to its limit, else of the machine."""
    if sample.limit_bytes and sample.used_bytes is not None:
        return sample.used_bytes, sample.limit_bytes
    if sample.available_bytes is not None:
        return sample.tree_rss_bytes, sample.tree_rss_bytes + sample.available_bytes
    return None


def rate(samples: Sequence[Sample]) -> float | None:
    """Bytes a second by which memory rises now, or nothing if it does not."""
    recent = [sample for sample in samples if sample.at >= samples[-1].at - WINDOW_SECONDS]
    points = [(sample.at, known[0]) for sample in recent if (known := room(sample))]
    if len(points) < FEWEST or points[-1][0] - points[0][0] < SHORTEST_SECONDS:
        return None
    whole = slope(points)
    newer = slope(points[len(points) // 2 :])
    if whole < SLOWEST_BYTES_PER_SECOND or newer < STILL_RISING * whole:
        return None
    return newer


def seconds_left(samples: Sequence[Sample]) -> float | None:
    """Until the limit is reached, if memory goes on as it does; nothing when it does not rise."""
    if not samples:
        return None
    rising, last = rate(samples), room(samples[-1])
    if rising is None or last is None:
        return None
    used, limit = last
    return max(0.0, (limit - used) / rising)


def slope(points: Sequence[tuple[float, int]]) -> float:
    """The median of the slopes between all pairs: one odd reading does not bend it."""
    slopes = [
        (second - first) / (later - earlier)
        for (earlier, first), (later, second) in itertools.combinations(points, 2)
        if later > earlier
    ]
    return statistics.median(slopes) if slopes else 0.0


@dataclass(frozen=True, slots=True)
class Rise:
    """A steady rise that goes on."""

    rate: float  #: a second, lately
    grown: float  #: since it began
    seconds: float  #: since it began

    def seconds_to(self, left: float) -> float:
        """When so much more will have been added."""
        return max(0.0, left) / self.rate


#: A steady rise is seen in at least so many readings, over so many seconds.
FEWEST_OF_A_RISE = 8
SHORTEST_RISE_SECONDS = 10.0

#: Each quarter of its time adds at least this share of its part: a jump, a start-up and a plateau do not.
EVERY_QUARTER = 0.5

#: A fall by this share of the whole range ends a rise: what frees memory, or deletes old checkpoints, begins again.
FALL = 0.1

#: Readings within this share of the lowest belong to the time before the rise.
FLAT = 0.02

#: Of what is added until the limit, so many times more must have been added already than is left.
TIMES_MORE = 4.0


def steady_rise(points: Sequence[tuple[float, float]]) -> Rise | None:
    """The steady rise that the last points are the end of, to a height that was never reached before; nothing if there is none."""
    if len(points) < FEWEST_OF_A_RISE:
        return None
    begin = _begin_of_rise(points)
    rise = points[begin:]
    (since, lowest), (now, highest) = rise[0], rise[-1]
    seconds, grown = now - since, highest - lowest
    if len(rise) < FEWEST_OF_A_RISE or seconds < SHORTEST_RISE_SECONDS or grown <= 0:
        return None
    if any(value >= highest for _, value in points[:begin]):
        return None  # it was as high before, and came down
    edges = [_height_at(rise, since + seconds * quarter / 4) for quarter in range(5)]
    added = [later - earlier for earlier, later in itertools.pairwise(edges)]
    if min(added) < EVERY_QUARTER * grown / 4:
        return None
    return Rise(min(grown, 4 * added[-1]) / seconds, grown, seconds)


def filling(points: Sequence[tuple[float, float]], limit: float) -> Rise | None:
    """The rise, if it has come most of the way to a limit: what has grown so long is more likely to go on than what has just begun."""
    if not points or points[-1][1] > limit:
        return None
    rise = steady_rise(points)
    return rise if rise is not None and rise.grown >= TIMES_MORE * (limit - points[-1][1]) else None


def _begin_of_rise(points: Sequence[tuple[float, float]]) -> int:
    """Go back from the end to the last great fall; the rise begins where the lowest height since then was left for good."""
    last = points[-1][1]
    span = last - min(value for _, value in points)
    lowest, first = last, len(points) - 1
    for index in range(len(points) - 1, -1, -1):
        value = points[index][1]
        if value - lowest > FALL * span:
            break
        if value <= lowest:
            lowest, first = value, index
    flat = lowest + FLAT * (last - lowest)
    return max(index for index in range(first, len(points)) if points[index][1] <= flat)


def _height_at(points: Sequence[tuple[float, float]], at: float) -> float:
    """The height at a moment, between the readings before and after it."""
    for (earlier, below), (later, above) in itertools.pairwise(points):
        if at <= later:
            return (
                below + (above - below) * (at - earlier) / (later - earlier)
                if later > earlier
                else above
            )
    return points[-1][1]


def about(seconds: float) -> str:
    """A time that is only estimated, in words."""
    if seconds < 90:
        return f"about {max(5, 5 * round(seconds / 5)):.0f} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.0f} h"
