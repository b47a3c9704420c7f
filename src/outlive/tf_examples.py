"""What a serialized tf.train.Example holds, read without TensorFlow and without protobuf."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

#: The wire types of protocol buffers.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class NotAnExample(ValueError):
    """The data is no tf.train.Example; the message says what is wrong with it."""


def features(data: memoryview) -> dict[str, tuple[str, list[Any]]]:
    """The features of a tf.train.Example: ``name -> (type, values)``."""
    return {name: _feature(feature) for name, feature in _entries(data)}


def types(data: memoryview) -> dict[str, str]:
    """The features of a tf.train.Example: ``name -> type``, without reading their values."""
    return {name: _typed(feature)[0] for name, feature in _entries(data)}


def _entries(data: memoryview) -> Iterator[tuple[str, memoryview]]:
    for number, value in _fields(data):
        if number != 1 or not isinstance(value, memoryview):
            raise NotAnExample("no tf.train.Example")
        for inner, entry in _fields(value):
            if inner != 1 or not isinstance(entry, memoryview):
                raise NotAnExample("no tf.train.Example")
            parts = dict(_fields(entry))
            name, feature = parts.get(1), parts.get(2)
            if not isinstance(name, memoryview):
                raise NotAnExample("a feature without a name")
            nothing = memoryview(b"")
            whole = feature if isinstance(feature, memoryview) else nothing
            yield bytes(name).decode("utf-8", "replace"), whole


TYPES: Mapping[int, str] = {1: "bytes", 2: "float", 3: "int64"}


def _feature(value: memoryview) -> tuple[str, list[Any]]:
    kind, entries = _typed(value)
    return kind, list(_values(kind, entries))


def _typed(value: memoryview) -> tuple[str, memoryview]:
    for number, entries in _fields(value):
        if number in TYPES and isinstance(entries, memoryview):
            return TYPES[number], entries
    return "", memoryview(b"")


def _values(kind: str, entries: memoryview) -> Iterator[Any]:
    for field, value in _fields(entries):
        if field != 1:
            continue
        if kind == "bytes":
            yield value
        elif kind == "float" and isinstance(value, memoryview):
            yield from struct.unpack(f"<{len(value) // 4}f", value[: len(value) // 4 * 4])
        elif kind == "float" and isinstance(value, int):
            yield struct.unpack("<f", value.to_bytes(4, "little"))[0]
        elif kind == "int64" and isinstance(value, memoryview):
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
            raise NotAnExample("no protocol buffer")
        if wire == VARINT:
            whole, at = _varint(data, at)
            yield number, whole
            continue
        if wire == BYTES:
            length, at = _varint(data, at)
        elif wire in (FIXED32, FIXED64):
            length = 4 if wire == FIXED32 else 8
        else:
            raise NotAnExample("no protocol buffer")
        if at + length > len(data):
            raise NotAnExample("a field that is longer than its record")
        part = data[at : at + length]
        yield number, part if wire == BYTES else int.from_bytes(part, "little")
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise NotAnExample("a number that does not end")
        byte = data[at]
        result |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
