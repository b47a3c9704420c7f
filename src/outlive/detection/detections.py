"""What a detector found in one picture, and how the outputs of all kinds of models are read as that. Plain numbers; no TensorFlow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.jobs.plain_exception import Unfit
from outlive.model.quick_dataclass import dataclass

#: Numbers after the point that are kept: a thousandth of a pixel in a picture of a thousand.
DIGITS = 6

#: The outputs of the Object Detection API.
BOXES, SCORES, CLASSES, COUNT = (
    "detection_boxes",
    "detection_scores",
    "detection_classes",
    "num_detections",
)
EXPECTED = (BOXES, SCORES, CLASSES)


@dataclass(frozen=True, slots=True)
class Found:
    """One object: its box as shares of the picture (top, left, bottom, right), class and score."""

    box: tuple[float, float, float, float]
    label: int
    score: float


def found_in(
    boxes: Sequence[Sequence[float]],
    scores: Sequence[float],
    classes: Sequence[float],
    count: int | None,
    min_score: float,
    offset: int = 0,
) -> list[Found]:
    """List the objects with at least this score, highest first. An object with a value that is not a number is left out."""
    most = len(scores) if count is None else max(0, min(int(count), len(scores)))
    found = []
    for box, score, label in zip(boxes[:most], scores[:most], classes[:most], strict=False):
        finite = all(value == value and abs(value) != float("inf") for value in (*box, score))
        if finite and score >= min_score:
            top, left, bottom, right = (round(float(value), DIGITS) for value in box)
            found.append(
                Found((top, left, bottom, right), int(label) + offset, round(float(score), DIGITS))
            )
    return sorted(found, key=lambda one: -one.score)


def refuse_no_numbers(
    boxes: Sequence[Sequence[float]],
    scores: Sequence[float],
    count: int | None,
    min_score: float,
) -> None:
    """Where nothing that may be an object has numbers, the model has failed: that is another answer than an empty picture."""
    most = len(scores) if count is None else max(0, min(int(count), len(scores)))
    objects = [
        (*box, score)
        for box, score in zip(boxes[:most], scores[:most], strict=False)
        if not score < min_score
    ]
    if objects and not any(all(map(math.isfinite, one)) for one in objects):
        raise Unfit(
            "not-finite",
            f"The model returned NaN or infinity for each of the {len(objects)} objects it found in this picture.",
            "Check the model's input range:  --pixels 0..1 or -1..1, if it was trained that way.",
            "Or its weights are not finite: export it from an earlier checkpoint.",
        )


def to_plain(width: int, height: int, found: Sequence[Found]) -> dict[str, Any]:
    """One picture's answer as JSON has it."""
    return {
        "width": width,
        "height": height,
        "detections": [[one.label, one.score, *one.box] for one in found],
    }


def from_plain(value: Mapping[str, Any]) -> list[Found]:
    """The objects of such an answer."""
    return [
        Found((top, left, bottom, right), int(label), score)
        for label, score, top, left, bottom, right in value["detections"]
    ]
