"""TFRecord files without TensorFlow: framing, checksums, the way on after damage.

``length (8) · masked crc32c of it (4) · data · masked crc32c of the data (4)``. After damage the reader looks for the next place where
a length and its checksum fit, so that one flipped bit costs one record, not the rest of the file.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

HEAD = struct.Struct("<QI")
FOOT = struct.Struct("<I")
GZIP = b"\x1f\x8b"
ZLIB = (b"x\x9c", b"x\x01", b"x\xda", b"x^")

#: Beyond this nobody looks for the next good record.
RESYNC_BYTES = 64 << 20

MASK_DELTA = 0xA282EAD8


@dataclass(frozen=True, slots=True)
class Record:
    """One record, or a stretch of bytes in which none could be read."""

    number: int
    offset: int
    data: memoryview | None
    damage: str = ""  #: why there is no data


def crc32c(data: Any) -> int:
    """The checksum of TFRecord: with the C library where it is installed."""
    try:
        from google_crc32c import value
    except ImportError:
        return _slow_crc32c(data)
    return int(value(bytes(data)))


def masked(data: Any) -> int:
    """As TFRecord writes it."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + MASK_DELTA) & 0xFFFFFFFF


def unpacked(data: bytes) -> bytes:
    """The records themselves; a file that was written with GZIP or ZLIB is unpacked."""
    if data[:2] == GZIP:
        return _inflate(data, 31)
    if data[:2] in ZLIB and masked(data[:8]) != int.from_bytes(data[8:12], "little"):
        return _inflate(data, 15)
    return data


def _inflate(data: bytes, bits: int) -> bytes:
    parts, rest = [], data
    while rest:
        stream = zlib.decompressobj(bits)
        try:
            parts.append(stream.decompress(rest))
        except zlib.error:
            break  # what came before is still good
        if not stream.eof or not stream.unused_data:
            break
        rest = stream.unused_data
    return b"".join(parts)


def records(data: bytes) -> Iterator[Record]:
    """Every record, and every damage, in order."""
    view, at, number = memoryview(data), 0, 0
    while at < len(data):
        if len(data) - at < HEAD.size:
            yield Record(number, at, None, f"the last {len(data) - at} bytes are no whole record")
            return
        length, crc = HEAD.unpack_from(data, at)
        if masked(view[at : at + 8]) != crc:
            following = _next_head(data, at + 1)
            yield Record(number, at, None, "the checksum of its length is wrong")
            if following is None:
                return
            at, number = following, number + 1
            continue
        start, end = at + HEAD.size, at + HEAD.size + length
        if end + FOOT.size > len(data):
            missing = end + FOOT.size - len(data)
            yield Record(number, at, None, f"the file ends {missing} bytes before the record does")
            return
        if masked(view[start:end]) != FOOT.unpack_from(data, end)[0]:
            yield Record(number, at, None, "the checksum of its data is wrong")
        else:
            yield Record(number, at, view[start:end])
        at, number = end + FOOT.size, number + 1


def _next_head(data: bytes, at: int) -> int | None:
    last = min(len(data) - HEAD.size - FOOT.size, at + RESYNC_BYTES)
    for place in range(at, last + 1):
        length, crc = HEAD.unpack_from(data, place)
        # Most places promise more than there is: only the few others are worth a checksum.
        if (
            length <= len(data) - place - HEAD.size - FOOT.size
            and masked(data[place : place + 8]) == crc
        ):
            return place
    return None


def _table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _table()


def _slow_crc32c(data: Any) -> int:
    crc = 0xFFFFFFFF
    for byte in bytes(data):
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF
