"""When will memory run out? A line through the last readings, when they still rise."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from outlive.model.events import Sample

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
