"""How a curve goes on: what grows, how fast, and when it reaches a limit. Pure: knows numbers alone.

What kills is the peak of a step, so the readings are put into slots and of each the highest counts. The warm-up (imports, the first
trace, buffers that fill) is left out: the growth that counts begins where it is the same in both halves of what follows. Growth that slows
down is told from growth that does not: a logarithm's last quarter rises half as fast as its first.
"""

from __future__ import annotations

import enum
import itertools
import math
import statistics
from collections.abc import Sequence

from outlive.model.quick_dataclass import dataclass

#: A reading: the step (or second) and the bytes.
Point = tuple[float, float]

#: Slots into which the readings are put, and the fewest from which something follows.
MOST_SLOTS = 24
FEWEST_SLOTS = 8
READINGS_A_SLOT = 3

#: The first part is never counted on; the warm-up may take so much at most.
ALWAYS_WARM_UP = 0.1
MOST_WARM_UP = 0.6

#: Both halves of steady growth agree to this; and to so much more as the readings of each scatter around their own line. (The last four
#: tenths of a logarithm differ by a quarter.)
AGREE = 0.06
AGREE_IN_NOISE = 0.25

#: Of what follows the first part, the last quarter against the first: growth that slows down, or speeds up.
SLOWS_DOWN = 0.7
SPEEDS_UP = 1.6

#: Less than this, and less than the readings scatter by, is no growth: of the level, and in bytes.
NOISE_PART = 0.004
NOISE_BYTES = 1_500_000
SCATTERS = 3.0

#: An interval whose ends are further apart than this, as parts of its middle, says nothing.
WIDEST = 1.0


class Shape(enum.Enum):
    """What a curve does."""

    LEVEL = "level"  #: it does not grow, as far as can be seen
    STEADY = "steady"  #: it grows by as much with every step
    SLOWING = "slowing"  #: it grows less and less
    FASTER = "faster"  #: it grows more and more
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Curve:
    """What was read out of a curve."""

    shape: Shape
    at: float = 0.0  #: the last step that was seen
    level: float = 0.0  #: bytes there, at the peak of a step
    each: float = 0.0  #: bytes a step
    low: float = 0.0  #: the least and the most that it may be
    high: float = 0.0
    began: float = 0.0  #: where the warm-up ended
    scatter: float = 0.0  #: of the readings around the line

    @property
    def grows(self) -> bool:
        """Whether it certainly grows and goes on doing so."""
        return self.shape in (Shape.STEADY, Shape.FASTER) and self.low > 0

    def reaches(self, limit: float) -> Reach | None:
        """The step at which the limit is reached if it goes on as it does; none where it does not grow."""
        room = max(0.0, limit - self.level)
        if not self.grows or self.each <= 0:
            return None
        earliest = self.at + max(0.0, room - self.scatter) / self.high
        return Reach(
            self.at + room / self.each, earliest, self.at + (room + self.scatter) / self.low
        )

    def at_most(self, step: float) -> float:
        """The most that it may be at a later step."""
        return self.level + self.scatter + max(0.0, self.high) * max(0.0, step - self.at)

    def at_least(self, step: float) -> float:
        """The least that it will be at a later step."""
        rise = self.low if self.shape in (Shape.STEADY, Shape.FASTER) else 0.0
        return self.level - self.scatter + max(0.0, rise) * max(0.0, step - self.at)


@dataclass(frozen=True, slots=True)
class Reach:
    """When a limit is reached."""

    step: float
    earliest: float
    latest: float

    @property
    def wide(self) -> bool:
        """Whether the interval is so wide that the step says nothing."""
        return self.latest - self.earliest > WIDEST * self.step


UNKNOWN = Curve(Shape.UNKNOWN)


def curve_of(points: Sequence[Point]) -> Curve:
    """Read the curve out of its points, in the order of their steps."""
    slots = peaks(points)
    if len(slots) < FEWEST_SLOTS:
        return UNKNOWN
    first = max(1, round(ALWAYS_WARM_UP * len(slots)))
    most = round(MOST_WARM_UP * len(slots))
    for begin in range(first, most + 1):
        tail = slots[begin:]
        if len(tail) < FEWEST_SLOTS // 2:
            break
        noise = _noise(tail)
        if _rise(tail) <= noise and _is_level(tail, noise):
            return _line(tail, Shape.LEVEL, noise)
        if _halves_agree(tail, noise) and _bend(tail) is None:
            return _line(tail, Shape.STEADY, noise)
    return _bent(slots[first:], slots[most:])


def peaks(points: Sequence[Point]) -> list[Point]:
    """The highest of each slot; a slot is as many steps as any other."""
    if len(points) < READINGS_A_SLOT:
        return []
    start, end = points[0][0], points[-1][0]
    count = min(MOST_SLOTS, len(points) // READINGS_A_SLOT)
    if end <= start or count < 1:
        return []
    width = (end - start) / count
    slots: dict[int, Point] = {}
    for step, value in points:
        slot = min(count - 1, int((step - start) / width))
        if slot not in slots or value >= slots[slot][1]:
            slots[slot] = (step, value)
    return [slots[slot] for slot in sorted(slots)]


def slope(points: Sequence[Point]) -> float:
    """The median of the slopes between all pairs: one odd reading does not bend it."""
    slopes = [
        (second - first) / (later - earlier)
        for (earlier, first), (later, second) in itertools.combinations(points, 2)
        if later > earlier
    ]
    return statistics.median(slopes) if slopes else 0.0


def _halves(points: Sequence[Point]) -> tuple[float, float]:
    """The slopes of both halves; the point in the middle belongs to both."""
    middle = len(points) // 2
    return slope(points[: middle + 1]), slope(points[middle:])


def _residuals(points: Sequence[Point], each: float) -> list[float]:
    rests = [value - each * step for step, value in points]
    middle = statistics.median(rests)
    return [rest - middle for rest in rests]


def _noise(points: Sequence[Point]) -> float:
    """How much the readings scatter around their own line, with the least that is told apart."""
    spread = _spread(points, slope(points))
    level = statistics.median(value for _, value in points)
    return max(NOISE_BYTES, NOISE_PART * level, SCATTERS * spread)


def _rise(points: Sequence[Point]) -> float:
    return abs(slope(points)) * (points[-1][0] - points[0][0])


def _is_level(points: Sequence[Point], noise: float) -> bool:
    """Whether no half of it rises: a step at its end is no level."""
    third = max(2, len(points) // 3)
    before = statistics.median(value for _, value in points[:third])
    after = statistics.median(value for _, value in points[-third:])
    return abs(after - before) <= noise


def _halves_agree(points: Sequence[Point], noise: float) -> bool:
    first, second = _halves(points)
    if first <= 0 or second <= 0 or _rise(points) <= noise:
        return False
    span = (points[-1][0] - points[0][0]) / 2
    middle = len(points) // 2
    scatter = max(_spread(points[: middle + 1], first), _spread(points[middle:], second))
    doubt = min(AGREE_IN_NOISE * max(first, second), 2 * SCATTERS * scatter / span)
    return abs(first - second) <= AGREE * max(first, second) + doubt


def _spread(points: Sequence[Point], each: float) -> float:
    return statistics.median(abs(rest) for rest in _residuals(points, each))


def _bend(points: Sequence[Point]) -> Shape | None:
    """Whether growth slows down or speeds up over its quarters, one after the other."""
    quarter = len(points) // 4
    if quarter < 2:
        return None
    parts = [points[place * quarter : (place + 1) * quarter + 1] for place in range(4)]
    slopes = [slope(part) for part in parts]
    if slopes[0] <= 0:
        return None
    falls = all(later < earlier for earlier, later in itertools.pairwise(slopes))
    rises = all(later > earlier for earlier, later in itertools.pairwise(slopes))
    if falls and slopes[3] < SLOWS_DOWN * slopes[0]:
        return Shape.SLOWING
    return Shape.FASTER if rises and slopes[3] > SPEEDS_UP * slopes[0] else None


def _line(points: Sequence[Point], shape: Shape, noise: float) -> Curve:
    """A line through the points, with the least and the most that its slope may be."""
    each = slope(points)
    first, second = _halves(points)
    span = points[-1][0] - points[0][0]
    rests = _residuals(points, each)
    scatter = max(abs(statistics.median(rests)), max(rests))
    doubt = noise / span / math.sqrt(len(points))
    if shape in (Shape.SLOWING, Shape.FASTER):
        each = second
    low, high = min(each, first, second) - doubt, max(each, first, second) + doubt
    if shape is Shape.SLOWING:
        low, high = 0.0, second + doubt
    if shape is Shape.LEVEL:
        each, low, high = max(0.0, each), 0.0, max(0.0, slope(points)) + noise / span
    rest = statistics.median(value - slope(points) * step for step, value in points)
    level = max(rest + slope(points) * points[-1][0], points[-1][1])
    return Curve(shape, points[-1][0], level, each, low, high, points[0][0], min(scatter, noise))


def _bent(points: Sequence[Point], tail: Sequence[Point]) -> Curve:
    """A curve that found no steady growth: it slows down, speeds up, or nobody knows."""
    first, second = _halves(points)
    noise = _noise(tail)
    if second < SLOWS_DOWN * first:
        return _line(tail, Shape.SLOWING, noise)
    if 0 < SPEEDS_UP * first < second:
        return _line(tail, Shape.FASTER, noise)
    return _line(tail, Shape.UNKNOWN, noise)
