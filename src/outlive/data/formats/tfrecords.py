"""TFRecord files without TensorFlow: framing, checksums, the way on after damage.

``length (8) · masked crc32c of it (4) · data · masked crc32c of the data (4)``. After damage the reader looks for the next place where
a length and its checksum fit, so that one flipped bit costs one record, not the rest of the file.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from mmap import mmap
from typing import Any, BinaryIO

from outlive.model.quick_dataclass import dataclass

HEAD = struct.Struct("<QI")
FOOT = struct.Struct("<I")
GZIP = b"\x1f\x8b"
ZLIB = (b"x\x9c", b"x\x01", b"x\xda", b"x^")

#: The window of zlib for each of them.
GZIP_BITS, ZLIB_BITS = 31, 15

#: Beyond this nobody looks for the next good record.
RESYNC_BYTES = 64 << 20

#: A packed file is unpacked in pieces: a little file may hold very much.
PACKED_PIECE, UNPACKED_PIECE = 1 << 18, 1 << 22

#: So many checksums of a length take about a second; no damage is worth more.
MOST_CHECKED = 1_000_000

ZEROS = bytes(4)
NOTHING = bytes(HEAD.size)
SOMETHING = re.compile(rb"[^\0]")

MASK_DELTA = 0xA282EAD8

LENGTH_DAMAGED = "the checksum of its length is wrong"
DATA_DAMAGED = "the checksum of its data is wrong"


@dataclass(frozen=True, slots=True)
class Record:
    """One record, or a stretch of bytes in which none could be read."""

    number: int
    offset: int
    data: memoryview | None
    damage: str = ""  #: why there is no data
    cut: bool = False  #: the file ends too early


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


def begins_as_records(head: bytes) -> bool:
    """Whether a file begins with a length and the checksum of it, whatever its name is: by chance one in four thousand million does."""
    if len(head) < HEAD.size:
        return False
    return bool(masked(head[: HEAD.size - 4]) == HEAD.unpack_from(head)[1])


def unpacked(data: bytes) -> bytes:
    """The records themselves; a file that was written with GZIP or ZLIB is unpacked."""
    bits = packing(data[: HEAD.size])
    return data if bits is None else _inflate(data, bits)


def packing(head: bytes) -> int | None:
    """Whether a file that begins so was written with GZIP or ZLIB; what ``zlib`` wants to know to unpack it."""
    if head[:2] == GZIP:
        return GZIP_BITS
    if head[:2] in ZLIB and masked(head[:8]) != int.from_bytes(head[8:12], "little"):
        return ZLIB_BITS
    return None


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


class _Broken(Exception):
    """A packed file cannot be unpacked any further; the message says why."""

    def __init__(self, message: str, cut: bool) -> None:
        super().__init__(message)
        self.cut = cut


def _pieces(file: BinaryIO, bits: int) -> Iterator[bytes]:
    stream = zlib.decompressobj(bits)
    while packed := file.read(PACKED_PIECE):
        while packed:
            if stream.eof:  # another member follows, as when files were put together
                stream = zlib.decompressobj(bits)
            try:
                yield stream.decompress(packed, UNPACKED_PIECE)
            except zlib.error as error:
                raise _Broken(f"it cannot be decompressed further ({error})", False) from error
            packed = stream.unused_data if stream.eof else stream.unconsumed_tail
    if not stream.eof:
        raise _Broken("the compressed file ends too early", True)


def packed_records(file: BinaryIO, bits: int, most_bytes: int | None) -> Iterator[Record]:
    """The same of a packed file, of which only one record at a time is in memory; no record larger than ``most_bytes`` is read.

    Behind a damaged length nothing can be found here: that is the end.
    """
    pieces, buffer, number, offset = _pieces(file, bits), bytearray(), 0, 0

    def holds(count: int) -> bool:
        while len(buffer) < count:
            piece = next(pieces, None)
            if piece is None:
                return False
            buffer.extend(piece)
        return True

    try:
        taken = 1
        while taken and holds(1):
            record, taken = _front(buffer, holds, number, offset, most_bytes)
            yield record
            del buffer[:taken]
            number, offset = number + 1, offset + taken
    except _Broken as broken:
        yield Record(number, offset, None, str(broken), broken.cut)


def _front(
    buffer: bytearray,
    holds: Callable[[int], bool],
    number: int,
    offset: int,
    most_bytes: int | None,
) -> tuple[Record, int]:
    """The record that a buffer begins with, and how many bytes it takes there; 0 when nothing can be read behind it."""

    def damaged(says: str, cut: bool = False) -> Record:
        return Record(number, offset, None, says, cut)

    if not holds(HEAD.size):
        return damaged(f"the last {len(buffer)} bytes are not a whole record", cut=True), 0
    length, crc = HEAD.unpack_from(buffer)
    if masked(buffer[:8]) != crc:
        return damaged(LENGTH_DAMAGED), 0
    if most_bytes is not None and length > most_bytes:
        return damaged(f"its {length} bytes exceed the available memory"), 0
    end = HEAD.size + length
    if not holds(end + FOOT.size):
        missing = end + FOOT.size - len(buffer)
        return damaged(f"the file ends {missing} bytes before the record does", cut=True), 0
    data = bytes(buffer[HEAD.size : end])
    fits = masked(data) == FOOT.unpack_from(buffer, end)[0]
    record = Record(number, offset, memoryview(data)) if fits else damaged(DATA_DAMAGED)
    return record, end + FOOT.size


def records(data: bytes | mmap) -> Iterator[Record]:
    """Every record, and every damage, in order. A file that is mapped is never whole in memory."""
    view, at, number = memoryview(data), 0, 0
    while at < len(data):
        if len(data) - at < HEAD.size:
            says = f"the last {len(data) - at} bytes are not a whole record"
            yield Record(number, at, None, says, cut=True)
            return
        length, crc = HEAD.unpack_from(data, at)
        if masked(view[at : at + 8]) != crc:
            following = _next_head(data, at + 1)
            yield Record(number, at, None, LENGTH_DAMAGED)
            if following is None:
                return
            at, number = following, number + 1
            continue
        start, end = at + HEAD.size, at + HEAD.size + length
        if end + FOOT.size > len(data):
            missing = end + FOOT.size - len(data)
            says = f"the file ends {missing} bytes before the record does"
            yield Record(number, at, None, says, cut=True)
            return
        if masked(view[start:end]) != FOOT.unpack_from(data, end)[0]:
            yield Record(number, at, None, DATA_DAMAGED)
        else:
            yield Record(number, at, view[start:end])
        at, number = end + FOOT.size, number + 1


def _next_head(data: bytes | mmap, at: int) -> int | None:
    """The next place where a length and its checksum fit; none when there are too many places at which they might."""
    checked = 0
    for place in _possible_heads(data, at):
        length, crc = HEAD.unpack_from(data, place)
        # Most places promise more than there is: only the few others are worth a checksum.
        if length <= len(data) - place - HEAD.size - FOOT.size:
            checked += 1
            if masked(data[place : place + 8]) == crc:
                return place
            if checked >= MOST_CHECKED:
                return None
    return None


def _possible_heads(data: bytes | mmap, at: int) -> Iterator[int]:
    """The places whose lengths have the zeros that a length below 4 GB has; not those in the middle of zeros alone."""
    last = min(len(data) - HEAD.size - FOOT.size, at + RESYNC_BYTES)
    small = len(data) < 1 << 32
    while at <= last:
        if small:
            at = data.find(ZEROS, at + 4, last + 8) - 4
            if at < 0:
                return
        if data[at : at + HEAD.size] == NOTHING:  # the checksum of a length of 0 is not 0
            some = SOMETHING.search(data, at)
            at = max(at + 1, some.start() - HEAD.size + 1) if some else last + 1
            continue
        yield at
        at += 1


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
