"""Bands of a file whose rows lie in it as they are: BMP, and TIFF without compression."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

RAW = "raw"


class RawBands:
    """Read by seeking; several parts of the file may hold the rows, one below the other."""

    def __init__(
        self, path: str, image: Any, size: tuple[int, int], row_bytes: int, turn: int
    ) -> None:
        self._path = path
        self._mode = image.mode
        self._palette = image.palette.getdata() if image.palette is not None else None
        self._transparency = image.info.get("transparency")
        self._parts = sorted(image.tile, key=lambda part: part[1][1])
        self._row_bytes = row_bytes  #: where the file does not say
        self.width, self.height = size
        self.turn = turn

    def needs(self) -> int:
        """Answer 0: rows are read straight from the file."""
        return 0

    def strips(self, rows: int) -> Iterator[Any]:
        """From the top, whichever way the file has them."""
        with open(self._path, "rb") as file:
            for _, (_, top, _, bottom), offset, (raw_mode, given, way) in self._parts:
                stride = given or self._row_bytes
                for first in range(top, bottom, rows):
                    last = min(bottom, first + rows)
                    begin = first - top if way > 0 else bottom - last
                    file.seek(offset + begin * stride)
                    data = file.read((last - first) * stride)
                    yield self._strip(data, last - first, raw_mode, stride, way)

    def _strip(self, data: bytes, rows: int, raw_mode: str, stride: int, way: int) -> Any:
        image_module: Any = importlib.import_module("PIL.Image")
        size = (self.width, rows)
        strip = image_module.frombytes(self._mode, size, data, RAW, raw_mode, stride, way)
        if self._palette is not None:
            strip.putpalette(self._palette[1], self._palette[0])
        if self._transparency is not None:
            strip.info["transparency"] = self._transparency
        return strip


def has_raw_rows(image: Any, width: int, height: int) -> bool:
    """Whether all of it lies there row by row."""
    at = 0
    for codec, (left, top, right, bottom), _, arguments in sorted(
        image.tile, key=lambda part: part[1][1]
    ):
        whole = codec == RAW and (left, right) == (0, width) and top == at
        if not whole or len(arguments) != 3:
            return False
        at = bottom
    return bool(at) and at == height
