"""A bounded look into TFRecord files after a death: where each record lies, whether its checksums hold, which features an Example has."""

from __future__ import annotations

import gzip
import io
import os
import time
import zlib
from collections.abc import Iterator
from typing import IO, cast

from outlive.data.formats import tf_examples
from outlive.data.formats.protobuf import NotProtobuf
from outlive.data.formats.tfrecords import FOOT, GZIP, HEAD, ZLIB, masked
from outlive.model.data import Feature
from outlive.model.quick_dataclass import dataclass

#: Without the C library for checksums Python needs about a third of a second for a megabyte.
MAX_CHECKED_BYTES = 300_000
#: Of a file that is packed with ZLIB, which Python can only unpack as a whole.
MAX_PACKED_BYTES = 32_000_000
MAX_UNPACKED_BYTES = 128_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """One record, or the place where there should be one."""

    number: int  #: counted from 0
    offset: int
    data: bytes = b""
    fault: str = ""  #: to follow "record N" in a sentence


def records_in(
    path: str, until: float, deep_from: int = 0, unpack: bool = False
) -> Iterator[Record]:
    """The records of a file in their order, up to the first that cannot be passed.

    Lengths are checked always; the data's checksum only from the offset ``deep_from`` on, of records that are not too long. ``unpack``:
    the reader knew that the file is compressed, and offsets are those of the unpacked data.
    """
    most = MAX_UNPACKED_BYTES if unpack else os.path.getsize(path)
    with _opened(path, unpack) as file:
        offset = number = 0
        while time.monotonic() < until:
            try:
                record = _next_record(file, number, offset, deep_from, most)
            except (OSError, EOFError, zlib.error) as error:
                if not unpack:
                    raise
                record = Record(
                    number,
                    offset,
                    fault=f"cannot be read: the compressed data is damaged ({error})",
                )
            if record is None:
                return
            yield record
            if record.fault and not record.data:
                return
            offset += HEAD.size + len(record.data) + FOOT.size
            number += 1


def _opened(path: str, unpack: bool) -> IO[bytes]:
    """A file to read records from; unpacked, if it is to be and is compressed."""
    with open(path, "rb") as file:
        head = file.read(2) if unpack else b""
        if head.startswith(ZLIB):
            packed = head + file.read(MAX_PACKED_BYTES)
            return io.BytesIO(zlib.decompressobj().decompress(packed, MAX_UNPACKED_BYTES))
    return cast(IO[bytes], gzip.open(path)) if head.startswith(GZIP) else open(path, "rb")


def _next_record(
    file: IO[bytes], number: int, offset: int, deep_from: int, most: int
) -> Record | None:
    """The next record, or what is wrong with it (then without its data, if nothing after it can be read); None at the end."""
    head = file.read(HEAD.size)
    if not head:
        return None
    if len(head) < HEAD.size:
        return Record(number, offset, fault="is truncated: the file ends in its header")
    length, checksum = HEAD.unpack(head)
    if masked(head[:8]) != checksum:
        return Record(number, offset, fault=_no_header(offset, head))
    # No more than there can be: a forged length must not be asked for.
    rest = file.read(min(length + FOOT.size, most))
    missing = length + FOOT.size - len(rest)
    if missing:
        return Record(
            number, offset, fault=f"is truncated: the file ends {missing} bytes too early"
        )
    data, stored = rest[:length], FOOT.unpack(rest[length:])[0]
    broken = offset >= deep_from and length <= MAX_CHECKED_BYTES and masked(data) != stored
    return Record(number, offset, data, "fails its checksum" if broken else "")


def _no_header(offset: int, head: bytes) -> str:
    if offset == 0 and head.startswith(GZIP):
        return "cannot be read: the file is compressed with GZIP, but is read as uncompressed"
    if offset == 0 and head.startswith(ZLIB):
        return "cannot be read: the file is compressed with ZLIB, but is read as uncompressed"
    if offset == 0:
        return "cannot be read: the file does not start like a TFRecord"
    return "has a damaged length: nothing after it can be read"


def features_of(data: bytes) -> dict[str, str] | None:
    """The features of a serialized tf.train.Example with their types; None when it is no Example."""
    try:
        found = tf_examples.types(memoryview(data))
    except NotProtobuf:
        return None
    return {name: kind or "nothing" for name, kind in found.items()} or None


def counted_features(data: bytes) -> tuple[Feature, ...]:
    """The features of an Example with their types and how many values each has."""
    try:
        found = tf_examples.counts(memoryview(data))
    except NotProtobuf:
        return ()
    return tuple(Feature(name, kind, count) for name, (kind, count) in sorted(found.items()))
