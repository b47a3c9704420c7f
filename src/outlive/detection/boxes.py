"""How far the answers of two models lie apart. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outlive.detection.detections import Found, from_plain

#: Two boxes that overlap by this much are around the same object.
SAME_OBJECT = 0.5


def largest_difference(
    before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]], floor: float
) -> float:
    """The largest difference of a score, over all pictures; an object that one of them misses counts by how far it lies above the floor."""
    worst = 0.0
    for name, value in before.items():
        if name not in after:
            return 1.0
        worst = max(worst, _apart(from_plain(value), from_plain(after[name]), floor))
    return worst


def _apart(first: Sequence[Found], second: Sequence[Found], floor: float) -> float:
    left = list(second)
    worst = 0.0
    for one in first:
        same = [
            other
            for other in left
            if other.label == one.label and overlap(one.box, other.box) >= SAME_OBJECT
        ]
        if same:
            best = max(same, key=lambda other: overlap(one.box, other.box))
            left.remove(best)
            worst = max(worst, abs(one.score - best.score))
        else:
            worst = max(worst, one.score - floor)
    return max([worst, *(other.score - floor for other in left)])


def overlap(first: Sequence[float], second: Sequence[float]) -> float:
    """Shared area by area in all."""
    top, left = max(first[0], second[0]), max(first[1], second[1])
    bottom, right = min(first[2], second[2]), min(first[3], second[3])
    shared = max(0.0, bottom - top) * max(0.0, right - left)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return shared / (areas - shared) if areas > shared else 0.0
