"""What a shared library asks for: the names in the dynamic section of an ELF file. 64-bit, little-endian: all that TensorFlow runs on."""

from __future__ import annotations

import os
import struct

HEADER_BYTES = 64
SEGMENT = struct.Struct("<IIQQQQQQ")  # type, flags, offset, address, …, size in file
ENTRY = struct.Struct("<qQ")
LOADED, DYNAMIC = 1, 2
NEEDED, NAMES, NAMES_BYTES = 1, 5, 10
MOST_SEGMENTS = 64
MOST_BYTES = 1 << 20


def needed_by(path: str) -> tuple[str, ...]:
    """The libraries that a library names as needed; nothing when it is no such file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ()
    try:
        return _needed(handle)
    except (OSError, struct.error, ValueError):
        return ()
    finally:
        os.close(handle)


def _needed(handle: int) -> tuple[str, ...]:
    head = os.pread(handle, HEADER_BYTES, 0)
    if head[:6] != b"\x7fELF\x02\x01":
        return ()
    (table,) = struct.unpack_from("<Q", head, 32)
    each, count = struct.unpack_from("<HH", head, 54)
    segments = []
    for index in range(min(count, MOST_SEGMENTS)):
        kind, _, offset, address, _, size, _, _ = SEGMENT.unpack(
            os.pread(handle, SEGMENT.size, table + index * each)
        )
        segments.append((kind, offset, address, size))
    dynamic = next((segment for segment in segments if segment[0] == DYNAMIC), None)
    if dynamic is None:
        return ()
    entries = list(
        ENTRY.iter_unpack(os.pread(handle, min(dynamic[3], MOST_BYTES) // 16 * 16, dynamic[1]))
    )
    values = {tag: value for tag, value in entries if tag in (NAMES, NAMES_BYTES)}
    start = _offset_of(values[NAMES], segments) if NAMES in values else None
    if start is None:
        return ()
    names = os.pread(handle, min(values.get(NAMES_BYTES, 0), MOST_BYTES), start)
    wanted = [value for tag, value in entries if tag == NEEDED and value < len(names)]
    return tuple(names[at : names.index(b"\0", at)].decode("utf-8", "replace") for at in wanted)


def _offset_of(address: int, segments: list[tuple[int, int, int, int]]) -> int | None:
    """Where an address of the loaded library lies in its file."""
    for kind, offset, start, size in segments:
        if kind == LOADED and start <= address < start + size:
            return offset + address - start
    return None
