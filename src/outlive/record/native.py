"""Read what the C library (``inside/native``) kept of one process: its stderr and its signals."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

MAGIC = b"OUTLSHIM"
VERSION = 1

# The layout of `struct area` and `struct slot` in inside/native/shim.h.
_HEADER = struct.Struct("<8sIIII QQ 65I 1024s")
_HEADER_BYTES = 4096
_SLOT = struct.Struct("<Q 6i 3Q 16s 256s 4i 64s64s64s64s 40x")
_SLOTS = 64
_RING_BYTES = 64 * 1024
_RING_START = _HEADER_BYTES + _SLOTS * _SLOT.size
FILE_BYTES = _RING_START + _RING_BYTES
_LAST_SIGNAL = 64


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A parent, or a parent's parent, of the process that sent a signal."""

    pid: int
    name: str


@dataclass(frozen=True, slots=True)
class SignalSeen:
    """One signal as the process got it. ``sender_pid`` is 0 when no process of ours sent it."""

    sequence: int
    signo: int
    code: int
    sender_pid: int
    sender_uid: int
    sender_command: str
    ancestors: tuple[Ancestor, ...]
    fault_address: int
    pid: int
    tid: int
    thread: str
    realtime_ns: int
    monotonic_ns: int


@dataclass(frozen=True, slots=True)
class NativeReading:
    """All that the library kept of one process.

    ``stderr_tail`` is at most 64 KiB. Text that was being copied at the moment of death may read
    as older text or as NUL bytes. ``signals`` are in order of arrival: the last few of each signal;
    ``counts`` has all deliveries, those too frequent to be kept one by one included.
    """

    pid: int
    stderr_tail: bytes
    abort_message: str
    signals: tuple[SignalSeen, ...]
    counts: Mapping[int, int]


def read_native(data: bytes) -> NativeReading:
    """Read the library's file; a part cut off or half-written is left out.

    Raises ValueError if this is not such a file, or one of another version.
    """
    if data[:8] != MAGIC:
        raise ValueError("not a file of Outlive's native recorder")
    if int.from_bytes(data[8:12].ljust(4, b"\0"), "little") != VERSION:
        raise ValueError("a file of another version of Outlive's native recorder")
    header = _HEADER.unpack(data[: _HEADER.size].ljust(_HEADER.size, b"\0"))
    counts = header[7:72]
    return NativeReading(
        pid=header[3],
        stderr_tail=_tail(data, total=header[5]),
        abort_message=_text(header[72]).strip(),
        signals=_signals(data),
        counts={number: count for number, count in enumerate(counts) if count and number},
    )


def _tail(data: bytes, total: int) -> bytes:
    ring = data[_RING_START:FILE_BYTES]
    if total <= _RING_BYTES:
        return ring[:total]
    start = total % _RING_BYTES
    return ring[start:] + ring[:start]


def _signals(data: bytes) -> tuple[SignalSeen, ...]:
    seen = []
    for start in range(_HEADER_BYTES, _RING_START, _SLOT.size):
        slot = data[start : start + _SLOT.size]
        if len(slot) == _SLOT.size:
            one = _signal(slot)
            if one is not None:
                seen.append(one)
    return tuple(sorted(seen, key=lambda one: one.sequence))


def _signal(slot: bytes) -> SignalSeen | None:
    fields = _SLOT.unpack(slot)
    sequence, signo, code, sender_pid, sender_uid, pid, tid, address, realtime, monotonic = fields[
        :10
    ]
    thread, command = fields[10:12]
    if not sequence or not 0 < signo <= _LAST_SIGNAL:
        return None
    ancestors = []
    for ancestor_pid, name in zip(fields[12:16], fields[16:20], strict=True):
        if ancestor_pid <= 0:
            break
        ancestors.append(Ancestor(ancestor_pid, _text(name)))
    return SignalSeen(
        sequence=sequence,
        signo=signo,
        code=code,
        sender_pid=max(sender_pid, 0),
        sender_uid=sender_uid & 0xFFFFFFFF,
        sender_command=command.rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace"),
        ancestors=tuple(ancestors),
        fault_address=address,
        pid=pid,
        tid=tid,
        thread=_text(thread),
        realtime_ns=realtime,
        monotonic_ns=monotonic,
    )


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode(errors="replace")
