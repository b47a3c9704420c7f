"""A bounded look into TFRecord files after a death: where each record lies, whether its checksums hold, which features an Example has."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from outlive import tf_examples
from outlive.protobuf import NotProtobuf
from outlive.tfrecords import FOOT, GZIP, HEAD, ZLIB, masked

#: Without the C library for checksums Python needs about a third of a second for a megabyte.
MAX_CHECKED_BYTES = 300_000


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
            if masked(head[:8]) != checksum:
                yield Record(number, offset, fault=_no_header(offset, head))
                return
            if offset + HEAD.size + length + FOOT.size > size:
                missing = offset + HEAD.size + length + FOOT.size - size
                yield Record(
                    number, offset, fault=f"is cut off: the file ends {missing} bytes too early"
                )
                return
            data = file.read(length)
            stored = FOOT.unpack(file.read(FOOT.size))[0]
            broken = offset >= deep_from and length <= MAX_CHECKED_BYTES and masked(data) != stored
            yield Record(number, offset, data, "fails its checksum" if broken else "")
            offset += HEAD.size + length + FOOT.size
            number += 1


def _no_header(offset: int, head: bytes) -> str:
    if offset == 0 and head.startswith(GZIP):
        return "cannot be read: the file is compressed with GZIP, and is read as if it were not"
    if offset == 0 and head.startswith(ZLIB):
        return "cannot be read: the file is compressed with ZLIB, and is read as if it were not"
    if offset == 0:
        return "cannot be read: the file does not begin like a TFRecord"
    return "has a damaged length: nothing after it can be read"


def features_of(data: bytes) -> dict[str, str] | None:
    """The features of a serialized tf.train.Example with their types; None when it is no Example."""
    try:
        found = tf_examples.types(memoryview(data))
    except NotProtobuf:
        return None
    return {name: kind or "nothing" for name, kind in found.items()} or None
