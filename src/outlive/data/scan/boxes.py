"""What can be wrong with a box and its label, whatever file it stands in. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator

from outlive.model.quick_dataclass import dataclass

#: Rounding of annotation tools: a thousandth of the side, or a pixel.
SLACK = 1e-3
SLACK_PIXELS = 1.0

#: Coordinates of a box in 0–1 never reach this; those in pixels nearly always do.
SURELY_PIXELS = 2.0


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its corners, in the unit of its format."""

    xmin: float
    ymin: float
    xmax: float
    ymax: float

    def __str__(self) -> str:
        return f"({self.xmin:g}, {self.ymin:g}, {self.xmax:g}, {self.ymax:g})"

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.xmin, self.ymin, self.xmax, self.ymax


Problem = tuple[str, str]  #: the kind of the flaw, and the words for it


def problems_in_unit_square(box: Box) -> Iterator[Problem]:
    """A box whose coordinates should lie between 0 and 1."""
    if any(abs(corner) >= SURELY_PIXELS for corner in box.corners if math.isfinite(corner)):
        yield "box-units", f"box {box} is in pixels, 0 to 1 is expected"
        return
    yield from _problems(box, 1.0, 1.0, SLACK)


def problems_in_pixels(box: Box, width: float, height: float) -> Iterator[Problem]:
    """A box whose coordinates should be pixels of an image of this size."""
    if width > SURELY_PIXELS and height > SURELY_PIXELS and _all_below_one(box):
        yield "box-units", f"box {box} is in 0 to 1, pixels are expected"
        return
    yield from _problems(box, width, height, SLACK_PIXELS)


def _all_below_one(box: Box) -> bool:
    return all(0 <= corner <= 1 for corner in box.corners) and box.xmax > 0 and box.ymax > 0


def _problems(box: Box, width: float, height: float, slack: float) -> Iterator[Problem]:
    if not all(map(math.isfinite, box.corners)):
        yield "box-not-finite", f"box {box} has a coordinate that is not a number"
        return
    if box.xmin > box.xmax or box.ymin > box.ymax:
        yield "box-inverted", f"box {box} ends before it starts"
    elif box.xmin == box.xmax or box.ymin == box.ymax:
        yield "box-empty", f"box {box} has no area"
    lowest = min(box.corners)
    if (
        lowest < -slack
        or max(box.xmin, box.xmax) > width + slack
        or max(box.ymin, box.ymax) > height + slack
    ):
        room = "1×1" if width == height == 1 else f"{width:g}×{height:g}"
        yield "box-outside", f"box {box} extends outside the image ({room})"


Key = int | str | None  #: what a thing is known by


def repeats(keys: Iterable[Key]) -> Iterator[int]:
    """The places of those that came before; what has no key is like nothing else."""
    seen: set[Key] = set()
    for place, key in enumerate(keys):
        if key is not None and key in seen:
            yield place
        seen.add(key)


def problems_with_label(label: Key, known: Collection[Key]) -> Iterator[Problem]:
    """A label that the map does not have; 0 is the background of TensorFlow's detectors."""
    if known and label not in known:
        shown = f"{label!r}" if isinstance(label, str) else str(label)
        yield "label-unknown", f"label {shown} is not in the label map"
    elif not known and isinstance(label, int) and label < 0:
        yield "label-unknown", f"label {label} is negative"
