"""Of many boxes around one object, the surest: non-maximum suppression, class by class, as TensorFlow's CombinedNonMaxSuppression does it.

Boxes below the score that is asked for are dropped first: they could never suppress a surer one.
"""

from __future__ import annotations

import importlib
from dataclasses import asdict
from typing import Any

from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Suppression:
    """How a model's own suppression was set."""

    per_class: int = 100
    in_all: int = 100
    overlap: float = 0.6  #: of two boxes of one class that overlap more, the less sure one goes
    least_score: float = 0.0
    clip: bool = True
    offset: int = 0  #: added to the number of a class afterwards

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def suppressed(boxes: Any, scores: Any, how: Suppression, min_score: float) -> tuple[Any, Any, Any]:
    """Boxes ``[N, 1 or classes, 4]`` and scores ``[N, classes]`` to what is left: boxes, scores, classes, the surest first."""
    numpy: Any = importlib.import_module("numpy")
    rows, labels = numpy.nonzero(scores >= max(how.least_score, min_score, 1e-12))
    chosen_scores = scores[rows, labels]
    chosen_boxes = boxes[rows, numpy.minimum(labels, boxes.shape[1] - 1)]
    kept: list[int] = []
    for label in numpy.unique(labels):
        mine = numpy.nonzero(labels == label)[0]
        mine = mine[numpy.argsort(-chosen_scores[mine], kind="stable")]
        kept += [int(mine[at]) for at in survivors(chosen_boxes[mine], how.overlap, how.per_class)]
    order = sorted(kept, key=lambda at: -chosen_scores[at])[: how.in_all]
    found = chosen_boxes[order]
    if how.clip:
        found = numpy.clip(found, 0.0, 1.0)
    return found, chosen_scores[order], labels[order] + how.offset


def survivors(boxes: Any, overlap: float, most: int) -> list[int]:
    """Keep the boxes, given in order of their scores, that no box of a higher score covers."""
    numpy: Any = importlib.import_module("numpy")
    top, bottom = numpy.minimum(boxes[:, 0], boxes[:, 2]), numpy.maximum(boxes[:, 0], boxes[:, 2])
    left, right = numpy.minimum(boxes[:, 1], boxes[:, 3]), numpy.maximum(boxes[:, 1], boxes[:, 3])
    areas = (bottom - top) * (right - left)
    kept: list[int] = []
    left_over = numpy.arange(len(boxes))
    while left_over.size and len(kept) < most:
        first, rest = left_over[0], left_over[1:]
        kept.append(int(first))
        height = numpy.minimum(bottom[first], bottom[rest]) - numpy.maximum(top[first], top[rest])
        width = numpy.minimum(right[first], right[rest]) - numpy.maximum(left[first], left[rest])
        shared = numpy.maximum(height, 0) * numpy.maximum(width, 0)
        whole = areas[first] + areas[rest] - shared
        share = numpy.divide(shared, whole, out=numpy.zeros_like(shared), where=whole > 0)
        left_over = rest[share <= overlap]
    return kept
