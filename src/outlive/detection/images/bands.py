"""A picture band by band from the top, so that one which is too large to be decoded whole never is; made smaller, or cut into tiles, on the way.

What gives bands: files whose rows lie there as they are (BMP, TIFF without compression), libvips where it is installed (PNG, JPEG, TIFF, WebP), and
for the rest a picture that is whole in memory, but as few bytes as its kind needs: a GIF has one for a pixel.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from outlive.detection.images.shown import (
    BY_THE_LARGEST,
    ON_THE_SIDE,
    TURNS,
    as_shown,
    largest_in,
    turned,
)
from outlive.detection.images.tiles import SHARED, Tile, tiles_of

#: Bytes of a band as the file stores it, about …
BAND_BYTES = 2_000_000
#: … and how many times as many there are while it is converted and scaled: RGBA, a white ground, RGB, the scaled one.
COPIES = 5

#: In memory, as Pillow has it.
BYTES_OF_MODE = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16B": 2, "I;16L": 2, "I;16N": 2}
BYTES_OF_OTHERS = 4

#: RGB, as the model is given it.
COLOURS = 3


def nothing_to_tell() -> None:
    """For those who need not know that something is going on."""


class Bands(Protocol):
    """A picture as it is stored, which can be read from its top to its bottom, also several times."""

    width: int
    height: int
    turn: int  #: by EXIF

    def needs(self) -> int:
        """Bytes, beside the bands themselves."""

    def strips(self, rows: int) -> Iterator[Any]:
        """So many rows at a time, as Pillow's images in the mode that the picture has."""


class WholeBands:
    """A picture that its format only gives as a whole; shown part by part."""

    def __init__(self, image: Any, turn: int) -> None:
        self._image = image
        self.width, self.height = int(image.width), int(image.height)
        self.turn = turn

    def needs(self) -> int:
        """Count the bytes of the whole picture: it is decoded at once."""
        return self.width * self.height * BYTES_OF_MODE.get(self._image.mode, BYTES_OF_OTHERS)

    def strips(self, rows: int) -> Iterator[Any]:
        """Decode the picture once and yield this many rows at a time."""
        self._image.load()
        for top in range(0, self.height, rows):
            yield self._image.crop((0, top, self.width, min(self.height, top + rows)))


def band_rows(width: int) -> int:
    """How many rows make a band."""
    return max(1, BAND_BYTES // (width * BYTES_OF_OTHERS))


def bytes_to_scale(bands: Bands, pixels: int) -> int:
    """Count the bytes that are needed to scale it to this many pixels: the result, a turned copy of it, and a band."""
    band = band_rows(bands.width) * bands.width * BYTES_OF_OTHERS
    return bands.needs() + band * COPIES + pixels * (BYTES_OF_OTHERS * 2 + COLOURS)


def bytes_to_cut(bands: Bands, side: int) -> int:
    """Count the bytes that are needed to hold one row of tiles, and what it shares with the next row."""
    band = band_rows(bands.width) * bands.width * BYTES_OF_OTHERS
    row = COLOURS * bands.width * min(side, bands.height)
    return int(bands.needs() + band * COPIES + row * (1 + SHARED))


def scaled(bands: Bands, pixels: int, going: Callable[[], None] = nothing_to_tell) -> Any:
    """The picture with at most so many pixels, upright. Each of them is the mean of those that it stands for, as in a picture that is made smaller whole."""
    image_module: Any = importlib.import_module("PIL.Image")
    share = min(1.0, (pixels / (bands.width * bands.height)) ** 0.5)
    wide, high = max(1, int(bands.width * share)), max(1, int(bands.height * share))
    step = bands.height / high  # rows of the file for one of ours
    found = image_module.new("RGB", (wide, high))
    held, start, done = (
        None,
        0,
        0,
    )  # what is read and not used up, its first row; rows that are made
    for strip in _shown(bands, going):
        held = strip if held is None else _below(held, strip)
        end = start + held.height
        ready = high if end >= bands.height else int(end / step)
        if ready <= done:
            continue
        box = (0.0, done * step - start, float(bands.width), min(ready * step, end) - start)
        part = held.resize((wide, ready - done), image_module.Resampling.BOX, box, reducing_gap=2.0)
        found.paste(part, (0, done))
        done = ready
        first = min(int(done * step), end) - start
        held = None if first >= held.height else held.crop((0, first, bands.width, held.height))
        start += first
    return turned(found, bands.turn)


def cut(
    bands: Bands, side: int, going: Callable[[], None] = nothing_to_tell
) -> Iterator[tuple[Tile, Any]]:
    """Tiles of this size as arrays, upright, with their places in the upright picture: never more of it in memory than one row of them."""
    numpy: Any = importlib.import_module("numpy")
    image_module: Any = importlib.import_module("PIL.Image")
    tiles = tiles_of(bands.width, bands.height, side)
    rows = tiles[0].height + band_rows(bands.width)
    held = numpy.empty((min(rows, bands.height), bands.width, COLOURS), "uint8")
    start = end = 0  # the rows that are held
    shown = _shown(bands, going)
    left_over: Any = None
    for tile in tiles:
        if tile.top > start:
            held[: end - tile.top] = held[tile.top - start : end - start].copy()
            start = tile.top
        while end < tile.top + tile.height:
            more = numpy.asarray(next(shown)) if left_over is None else left_over
            fitting = more[: len(held) - (end - start)]
            held[end - start : end - start + len(fitting)] = fitting
            end += len(fitting)
            left_over = more[len(fitting) :] if len(fitting) < len(more) else None
        top = tile.top - start
        part = held[top : top + tile.height, tile.left : tile.left + tile.width].copy()
        if bands.turn in TURNS:
            whole = turned(image_module.fromarray(part), bands.turn)
            yield placed_upright(tile, bands.turn, bands.width, bands.height), numpy.asarray(whole)
        else:
            yield tile, part


def placed_upright(tile: Tile, turn: int, width: int, height: int) -> Tile:
    """Where a part of a stored picture lies when the picture is turned."""
    right, below = width - tile.left - tile.width, height - tile.top - tile.height
    left = {2: right, 3: right, 5: tile.top, 6: below, 7: below, 8: tile.top}.get(turn, tile.left)
    top = {3: below, 4: below, 5: tile.left, 6: tile.left, 7: right, 8: right}.get(turn, tile.top)
    if turn in ON_THE_SIDE:
        return Tile(left, top, tile.height, tile.width)
    return Tile(left, top, tile.width, tile.height)


def _shown(bands: Bands, going: Callable[[], None]) -> Iterator[Any]:
    """Every band as a viewer shows it."""
    rows = band_rows(bands.width)
    largest: float | None = None
    for strip in bands.strips(rows):
        if strip.mode not in BY_THE_LARGEST:
            break
        largest = max(-math.inf if largest is None else largest, largest_in(strip))
        going()
    for strip in bands.strips(rows):
        yield as_shown(strip, largest)
        going()


def _below(first: Any, second: Any) -> Any:
    image_module: Any = importlib.import_module("PIL.Image")
    both = image_module.new("RGB", (first.width, first.height + second.height))
    both.paste(first, (0, 0))
    both.paste(second, (0, first.height))
    return both
