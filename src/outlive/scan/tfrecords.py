"""TFRecord files without TensorFlow: framing, checksums, and what a tf.train.Example holds.

``length (8) · masked crc32c of it (4) · data · masked crc32c of the data (4)``. After damage the reader looks for the next place where
a length and its checksum fit, so that one flipped bit costs one record, not the rest of the file.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

HEAD = struct.Struct("<QI")
FOOT = struct.Struct("<I")
GZIP = b"\x1f\x8b"
ZLIB_HEADS = (b"x\x9c", b"x\x01", b"x\xda", b"x^")

#: Beyond this nobody looks for the next good record.
RESYNC_BYTES = 64 << 20

MASK_DELTA = 0xA282EAD8

#: The wire types of protocol buffers.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class NotRecords(ValueError):
    """The data is not what it should be; the message says what it is."""


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
    if data[:2] in ZLIB_HEADS and masked(data[:8]) != int.from_bytes(data[8:12], "little"):
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


def features(data: memoryview) -> dict[str, tuple[str, list[Any]]]:
    """The features of a tf.train.Example: ``name -> (type, values)``."""
    found: dict[str, tuple[str, list[Any]]] = {}
    for number, value in _fields(data):
        if number != 1 or not isinstance(value, memoryview):
            raise NotRecords("no tf.train.Example")
        for inner, entry in _fields(value):
            if inner != 1 or not isinstance(entry, memoryview):
                raise NotRecords("no tf.train.Example")
            parts = dict(_fields(entry))
            name, feature = parts.get(1), parts.get(2)
            if not isinstance(name, memoryview):
                raise NotRecords("a feature without a name")
            found[bytes(name).decode("utf-8", "replace")] = _feature(feature)
    return found


TYPES: Mapping[int, str] = {1: "bytes", 2: "float", 3: "int64"}


def _feature(value: Any) -> tuple[str, list[Any]]:
    if not isinstance(value, memoryview):
        return "", []
    for number, entries in _fields(value):
        if number in TYPES and isinstance(entries, memoryview):
            return TYPES[number], list(_values(number, entries))
    return "", []


def _values(number: int, entries: memoryview) -> Iterator[Any]:
    for field, value in _fields(entries):
        if field != 1:
            continue
        if number == 1:
            yield value
        elif number == 2 and isinstance(value, memoryview):
            yield from struct.unpack(f"<{len(value) // 4}f", value[: len(value) // 4 * 4])
        elif number == 2 and isinstance(value, int):
            yield struct.unpack("<f", value.to_bytes(4, "little"))[0]
        elif number == 3 and isinstance(value, memoryview):
            at = 0
            while at < len(value):
                whole, at = _varint(value, at)
                yield whole - (1 << 64) if whole >> 63 else whole
        elif isinstance(value, int):
            yield value - (1 << 64) if value >> 63 else value


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise NotRecords("no protocol buffer")
        if wire == VARINT:
            whole, at = _varint(data, at)
            yield number, whole
            continue
        if wire == BYTES:
            length, at = _varint(data, at)
        elif wire in (FIXED32, FIXED64):
            length = 4 if wire == FIXED32 else 8
        else:
            raise NotRecords("no protocol buffer")
        if at + length > len(data):
            raise NotRecords("a field that is longer than its record")
        part = data[at : at + length]
        yield number, part if wire == BYTES else int.from_bytes(part, "little")
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise NotRecords("a number that does not end")
        byte = data[at]
        result |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, at
        shift += 7


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
