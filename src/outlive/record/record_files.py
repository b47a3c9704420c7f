"""TFRecord files without TensorFlow: where each record lies, whether its checksums hold, which features an Example in it has.

A record is ``length (8 bytes) checksum of the length (4) data checksum of the data (4)``; checksums are CRC-32C, masked.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass

from outlive.record.file_faults import GZIP, ZLIB

HEAD = struct.Struct("<QI")
MASK_DELTA = 0xA282EAD8

#: Python needs about a third of a second for a megabyte.
MAX_CHECKED_BYTES = 300_000


def _table() -> tuple[int, ...]:
    found = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        found.append(value)
    return tuple(found)


TABLE = _table()


def masked_checksum(data: bytes) -> int:
    """The masked CRC-32C that a TFRecord holds."""
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    value ^= 0xFFFFFFFF
    return (((value >> 15) | (value << 17)) + MASK_DELTA) & 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Record:
    """One record, or the place where there should be one."""

    number: int  #: counted from 0
    offset: int
    data: bytes = b""
    fault: str = ""  #: to follow "record N" in a sentence


def records_in(path: str, until: float, deep_from: int = 0) -> Iterator[Record]:
    """The records of a file in their order, up to the first that cannot be passed.

    Lengths are checked always; the data's checksum only from the offset ``deep_from`` on, of records that are not too long.
    """
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        offset = number = 0
        while offset < size and time.monotonic() < until:
            head = file.read(HEAD.size)
            if len(head) < HEAD.size:
                yield Record(number, offset, fault="is cut off: the file ends in its header")
                return
            length, checksum = HEAD.unpack(head)
            if masked_checksum(head[:8]) != checksum:
                yield Record(number, offset, fault=_no_header(offset, head))
                return
            if offset + HEAD.size + length + 4 > size:
                missing = offset + HEAD.size + length + 4 - size
                yield Record(
                    number, offset, fault=f"is cut off: the file ends {missing} bytes too early"
                )
                return
            data = file.read(length)
            stored = struct.unpack("<I", file.read(4))[0]
            broken = (
                offset >= deep_from
                and length <= MAX_CHECKED_BYTES
                and masked_checksum(data) != stored
            )
            yield Record(number, offset, data, "fails its checksum" if broken else "")
            offset += HEAD.size + length + 4
            number += 1


def _no_header(offset: int, head: bytes) -> str:
    if offset == 0 and head.startswith(GZIP):
        return "cannot be read: the file is compressed with GZIP, and is read as if it were not"
    if offset == 0 and head.startswith(ZLIB):
        return "cannot be read: the file is compressed with ZLIB, and is read as if it were not"
    if offset == 0:
        return "cannot be read: the file does not begin like a TFRecord"
    return "has a damaged length: nothing after it can be read"


FEATURE_KINDS = {1: "bytes", 2: "float", 3: "int64"}


def features_of(data: bytes) -> dict[str, str] | None:
    """The features of a serialized tf.train.Example with their types; None when it is no Example."""
    try:
        found: dict[str, str] = {}
        for field, outer in _fields(data):
            if field != 1 or not isinstance(outer, bytes):
                continue
            for inner_field, entry in _fields(outer):
                if inner_field != 1 or not isinstance(entry, bytes):
                    return None
                pair = dict(_fields(entry))
                key, feature = pair.get(1), pair.get(2, b"")
                if not isinstance(key, bytes) or not isinstance(feature, bytes):
                    return None
                kinds = [FEATURE_KINDS.get(kind, "?") for kind, _ in _fields(feature)]
                found[key.decode("utf-8", "replace")] = kinds[0] if kinds else "nothing"
        return found or None
    except (IndexError, ValueError):
        return None


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a protocol buffer message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            number, at = _varint(data, at)
            yield key >> 3, number
        elif wire == 2:
            length, at = _varint(data, at)
            if at + length > len(data):
                raise ValueError("a field ends outside of its message")
            yield key >> 3, data[at : at + length]
            at += length
        elif wire in (1, 5):
            width = 8 if wire == 1 else 4
            yield key >> 3, data[at : at + width]
            at += width
        else:
            raise ValueError("no protocol buffer")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if not byte & 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("no number")
