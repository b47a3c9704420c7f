"""What the bytes of a picture say: its format, its size and channels, the parts of a JPEG, a PNG and a WebP. The only module that knows them (a test holds that)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8"
GIF = (b"GIF87a", b"GIF89a")
BMP = b"BM"
TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

#: First bytes of the formats; before the first part of a JPEG there is a marker.
BEGINNINGS = (
    (JPEG + b"\xff", "JPEG"), (PNG, "PNG"), (GIF, "GIF"), (BMP, "BMP"), (TIFF, "TIFF"),
)  # fmt: skip

#: So many bytes tell the format.
HEAD_BYTES = 32

#: What the last bytes of these are; TensorFlow refuses a JPEG or a PNG without.
END_MARKS = {"JPEG": b"\xff\xd9", "PNG": b"IEND"}

#: PNG's colour types, and how many channels a reader makes of them.
PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}

#: Markers of a JPEG that begin a frame and so tell its size.
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Markers that stand alone: TEM, RST0 to RST7, SOI.
WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
SCAN = 0xDA
#: No marker: where one should be is something else; the data ends before the scan.
DAMAGED, CUT = -1, -2

Size = tuple[int, int, int]  #: width, height, channels


def format_of(head: bytes) -> str:
    """Name the format by the first bytes; nothing when it is none that is known."""
    for beginning, name in BEGINNINGS:
        if head.startswith(beginning):
            return name
    if is_webp(head):
        return "WEBP"
    brand = head[8:12] if is_heif(head) else b""
    if brand in (b"avif", b"avis"):
        return "AVIF"
    return "HEIC" if brand[:3] in (b"hei", b"hev", b"mif") else ""


def is_webp(head: bytes) -> bool:
    """Tell whether the first bytes are those of a WebP."""
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def is_heif(head: bytes) -> bool:
    """Tell whether the first bytes are those of a HEIC or AVIF picture, or of a film: they share a container."""
    return head[4:8] == b"ftyp"


def size_in(data: bytes) -> Size | None:
    """Read width, height and channels (of PNG with 16 bits: bytes) in the beginning of a file."""
    try:
        if data.startswith(PNG):
            wide = 2 if data[24] == 16 else 1
            channels = PNG_CHANNELS.get(data[25], 3) * wide
            return _big(data, 16, 4), _big(data, 20, 4), channels
        if data.startswith(JPEG):
            return _jpeg(data)
        if data.startswith(GIF):
            return _little(data, 6, 2), _little(data, 8, 2), 3
        if data.startswith(BMP):
            return _little(data, 18, 4), abs(_signed(data, 22)), 3
        if is_webp(data):
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


def jpeg_parts(data: bytes) -> Iterator[tuple[int, int]]:
    """Walk the parts of a JPEG up to its scan: where each begins, and its marker. The last one is SCAN, DAMAGED or CUT."""
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            yield at, DAMAGED
            return
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        yield at, marker
        if marker == SCAN:
            return
        at += 2 if marker in WITHOUT_LENGTH else 2 + _big(data, at + 2, 2)
    yield at, CUT


def png_chunks(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Walk the chunks of a PNG that are whole: where each begins, its name, and whether its checksum is right."""
    at = len(PNG)
    while at + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if end + 4 > len(data):
            return
        yield at, name, zlib.crc32(data[at + 4 : end]) == _big(data, end, 4)
        at = end + 4


def is_lossless_webp(file: BinaryIO) -> bool:
    """Tell by the first picture of a WebP: it is one chunk among others."""
    at = 12
    while True:
        file.seek(at)
        head = file.read(8)
        name, length = head[:4], int.from_bytes(head[4:], "little")
        if len(head) < 8 or name == b"VP8 ":
            return False
        if name == b"VP8L":
            return True
        # A frame of an animation has sixteen bytes of its own before its picture.
        at += 8 + 16 if name == b"ANMF" else 8 + length + length % 2


def _jpeg(data: bytes) -> Size | None:
    """Read the part that begins the frame."""
    for at, marker in jpeg_parts(data):
        if marker in FRAMES:
            return _big(data, at + 7, 2), _big(data, at + 5, 2), data[at + 9]
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
