"""Protocol buffers as they are on the wire, read without their schema and without the library."""

from __future__ import annotations

from collections.abc import Iterator

#: The wire types.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class NotProtobuf(ValueError):
    """The data is not a protocol buffer, or is damaged; the message says how."""


def fields(data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """The fields of a message in their order: number and value; texts and messages in it as they lie there."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise NotProtobuf("not a protocol buffer")
        if wire == VARINT:
            whole, at = varint(data, at)
            yield number, whole
            continue
        if wire == BYTES:
            length, at = varint(data, at)
        elif wire in (FIXED32, FIXED64):
            length = 4 if wire == FIXED32 else 8
        else:
            raise NotProtobuf("not a protocol buffer")
        if at + length > len(data):
            raise NotProtobuf("a field that is longer than its message")
        part = data[at : at + length]
        yield number, part if wire == BYTES else int.from_bytes(part, "little")
        at += length


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number that begins there, and where it ends."""
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise NotProtobuf("a number that does not end")
        byte = data[at]
        result |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
