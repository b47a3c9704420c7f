"""How large is a picture, by the first bytes of its file? And which pictures was the program reading when its memory ran out?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.memory_looks import Picture

#: A JPEG may carry a preview and a profile before it tells its size.
HEADER_BYTES = 512 * 1024
MOST_FILES = 400

#: Markers of a JPEG that begin a frame and so tell its size.
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}

Size = tuple[int, int, int]  #: width, height, channels


def size_in(data: bytes) -> Size | None:
    """Width, height and channels, out of the beginning of a file."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            wide = 2 if data[24] == 16 else 1
            channels = PNG_CHANNELS.get(data[25], 3) * wide
            return _big(data, 16, 4), _big(data, 20, 4), channels
        if data.startswith(b"\xff\xd8"):
            return _jpeg(data)
        if data.startswith((b"GIF87a", b"GIF89a")):
            return _little(data, 6, 2), _little(data, 8, 2), 3
        if data.startswith(b"BM"):
            return _little(data, 18, 4), abs(_signed(data, 22)), 3
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
    except IndexError:
        pass
    return None


def _big(data: bytes, start: int, length: int) -> int:
    if len(data) < start + length:
        raise IndexError(start)
    return int.from_bytes(data[start : start + length], "big")


def _little(data: bytes, start: int, length: int) -> int:
    if len(data) < start + length:
        raise IndexError(start)
    return int.from_bytes(data[start : start + length], "little")


def _signed(data: bytes, start: int) -> int:
    return int.from_bytes(data[start : start + 4], "little", signed=True)


def _jpeg(data: bytes) -> Size | None:
    """Walk the segments up to the one that begins the frame."""
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker in FRAMES:
            return _big(data, at + 7, 2), _big(data, at + 5, 2), data[at + 9]
        at += 1 if marker == 0xFF else 2 + (0 if 0xD0 <= marker <= 0xD8 else _big(data, at + 2, 2))
    return None


def _webp(data: bytes) -> Size | None:
    if data[12:16] == b"VP8X":
        return 1 + _little(data, 24, 3), 1 + _little(data, 27, 3), 4
    if data[12:16] == b"VP8 ":
        return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF, 3
    if data[12:16] == b"VP8L":
        bits = _little(data, 21, 4)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF), 4
    return None


def pictures_in(censuses: Sequence[Mapping[str, Any]], folder: str) -> tuple[Picture, ...]:
    """The pictures that the running functions named at the last looks, and those that pipelines list; the largest first."""
    found: dict[str, Picture] = {}
    named: dict[str, Sequence[str]] = {}
    for census in censuses[-3:]:
        for path, width, height in census.get("picture_sizes") or ():
            found[str(path)] = Picture(str(path), int(width), int(height), 3)
        folders = [str(one) for one in census.get("folders") or ()]
        named |= {str(path): folders for path in census.get("pictures") or ()}
    for census in censuses:
        named |= {str(path): () for path in census.get("listed") or ()}
    for path in list(named)[:MOST_FILES]:
        sizes = (_size_of_file(place) for place in _places(path, folder, named[path]))
        size = next((size for size in sizes if size is not None), None)
        if size is not None:
            found.setdefault(path, Picture(path, *size))
    return tuple(sorted(found.values(), key=lambda picture: -picture.bytes))


def _places(path: str, folder: str, others: Sequence[str]) -> Iterator[str]:
    """Where a file of this name may lie: as it is written, or in one of the folders that the program named beside it."""
    for base in ("", *others):
        yield os.path.join(folder, base, path)


def _size_of_file(path: str) -> Size | None:
    try:
        if not os.path.isfile(path):  # a pipe would have us wait
            return None
        with open(path, "rb") as file:
            return size_in(file.read(HEADER_BYTES))
    except OSError:
        return None
