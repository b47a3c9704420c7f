"""Large pictures piece by piece: overlapping tiles, and the objects of all of them as one list. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from outlive.detection.boxes import overlap
from outlive.detection.detections import DIGITS, Found
from outlive.model.quick_dataclass import dataclass

#: Neighbours share this part of a side, so that what lies on an edge is whole in one of them.
SHARED = 0.2

#: Two boxes of one class are the same object when their overlap (IoU) is at least this …
SAME = 0.5
#: … or when this share of the smaller one lies in the larger one: another tile saw only a part of the object.
INSIDE = 0.7

#: Cells a side.
GRID = 64


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of a picture, in pixels."""

    left: int
    top: int
    width: int
    height: int


def tiles_of(width: int, height: int, side: int) -> list[Tile]:
    """Tiles of one size that cover a picture; a picture that is not larger than one is one."""
    wide, high = min(side, width), min(side, height)
    return [
        Tile(left, top, wide, high)
        for top in _starts(height, high)
        for left in _starts(width, wide)
    ]


def _starts(length: int, side: int) -> list[int]:
    """Evenly spread, the last one at the very end."""
    if length <= side:
        return [0]
    step = max(1, int(side * (1 - SHARED)))
    count = -(-(length - side) // step)
    return [round(number * (length - side) / count) for number in range(count + 1)]


def in_picture(found: Sequence[Found], tile: Tile, width: int, height: int) -> list[Found]:
    """Boxes as shares of the tile made shares of the picture."""
    return [replace(one, box=_placed(one.box, tile, width, height)) for one in found]


def _placed(
    box: tuple[float, float, float, float], tile: Tile, width: int, height: int
) -> tuple[float, float, float, float]:
    top, left, bottom, right = box
    return (
        round((tile.top + top * tile.height) / height, DIGITS),
        round((tile.left + left * tile.width) / width, DIGITS),
        round((tile.top + bottom * tile.height) / height, DIGITS),
        round((tile.left + right * tile.width) / width, DIGITS),
    )


def merged(found: Sequence[Found]) -> list[Found]:
    """Each object once, the surest box of it. Only neighbours are compared: a picture of a thousand tiles may have ten thousand boxes."""
    kept: list[Found] = []
    near: dict[tuple[int, int, int], list[Found]] = {}
    for one in sorted(found, key=lambda one: -one.score):
        places = [(one.label, *cell) for cell in _cells(one.box)]
        if not any(_are_one(one.box, other.box) for at in places for other in near.get(at, ())):
            kept.append(one)
            for at in places:
                near.setdefault(at, []).append(one)
    return kept


def _cells(box: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The cells of a grid over the picture that a box lies in."""
    top, left, bottom, right = (max(0, min(GRID - 1, int(side * GRID))) for side in box)
    for row in range(min(top, bottom), max(top, bottom) + 1):
        for column in range(min(left, right), max(left, right) + 1):
            yield row, column


def _are_one(first: Sequence[float], second: Sequence[float]) -> bool:
    if overlap(first, second) >= SAME:
        return True
    high = min(first[2], second[2]) - max(first[0], second[0])
    wide = min(first[3], second[3]) - max(first[1], second[1])
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return high > 0 and wide > 0 and high * wide >= INSIDE * smaller > 0
