"""What a serialized tf.train.Example holds, read without TensorFlow and without protobuf."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from outlive.data.formats.protobuf import NotProtobuf, fields, varint


class NotAnExample(NotProtobuf):
    """The data is not a tf.train.Example; the message says what is wrong with it."""


def features(data: memoryview) -> dict[str, tuple[str, list[Any]]]:
    """The features of a tf.train.Example: ``name -> (type, values)``."""
    return {name: _feature(feature) for name, feature in _entries(data)}


def counts(data: memoryview) -> dict[str, tuple[str, int]]:
    """The features with their types and how many values each has; no value is decoded."""
    return {name: _count(value) for name, value in _entries(data)}


def _count(value: memoryview) -> tuple[str, int]:
    kind, entries = _typed(value)
    count = 0
    for field, part in fields(entries):
        if field != 1:
            continue
        if not isinstance(part, memoryview) or kind == "bytes":
            count += 1
        elif kind == "float":
            count += len(part) // 4
        else:  # each varint ends in a byte below 128
            count += sum(byte < 128 for byte in part)
    return kind, count


def types(data: memoryview) -> dict[str, str]:
    """The features of a tf.train.Example: ``name -> type``, without reading their values."""
    return {name: _typed(feature)[0] for name, feature in _entries(data)}


def _entries(data: memoryview) -> Iterator[tuple[str, memoryview]]:
    for number, value in fields(data):
        if number != 1 or not isinstance(value, memoryview):
            raise NotAnExample("not a tf.train.Example")
        for inner, entry in fields(value):
            if inner != 1 or not isinstance(entry, memoryview):
                raise NotAnExample("not a tf.train.Example")
            parts = dict(fields(entry))
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
    for number, entries in fields(value):
        if number in TYPES and isinstance(entries, memoryview):
            return TYPES[number], entries
    return "", memoryview(b"")


def _values(kind: str, entries: memoryview) -> Iterator[Any]:
    for field, value in fields(entries):
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
                whole, at = varint(value, at)
                yield whole - (1 << 64) if whole >> 63 else whole
        elif isinstance(value, int):
            yield value - (1 << 64) if value >> 63 else value
