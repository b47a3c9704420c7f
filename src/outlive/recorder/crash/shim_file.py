"""Read what the C library (``inside/native``) kept of one process: its stderr, its signals, its crash."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from outlive.model.quick_dataclass import dataclass

MAGIC = b"OUTLSHIM"
VERSION = 2

# The layout of `struct area`, `struct slot` and `struct crash` in inside/native/shim.h.
_HEADER = struct.Struct("<8sIIII QQ 65I 1024s")
_HEADER_BYTES = 4096
_ANCESTORS = 12
_SLOT = struct.Struct(f"<Q 6i 3Q 16s 256s {_ANCESTORS}i {16 * _ANCESTORS}s 72x")
_SLOTS = 64
_RING_BYTES = 64 * 1024
_RING_START = _HEADER_BYTES + _SLOTS * _SLOT.size
_WORDS_START = _RING_START + _RING_BYTES
_WORDS_BYTES = 24 * 1024
_CRASHES_START = _WORDS_START + _WORDS_BYTES
_CRASH = struct.Struct("<Q 2I 34Q 8Q 3I4x 16s 160s")
_MAPS_BYTES, _STACK_BYTES, _SCRATCH_BYTES = 16 * 1024, 48 * 1024, 8 * 1024
_CRASH_BYTES = _CRASH.size + _MAPS_BYTES + _STACK_BYTES + _SCRATCH_BYTES
_CRASHES = 2
FILE_BYTES = _CRASHES_START + _CRASHES * _CRASH_BYTES
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
class CrashWords:
    """The raw words of a fatal signal: what the handler copied, nothing yet understood."""

    sequence: int  #: of the signal that it belongs to
    machine: int  #: as in the header of an ELF file
    registers: tuple[int, ...]  #: in DWARF's order, the program counter last
    counter: int
    stack_pointer: int
    thread_stack_bytes: int  #: of the thread, if the library began it; else 0
    stack_start: int
    stack: bytes
    maps: str
    code: bytes
    mount: str  #: where the file at the fault's address lies (SIGBUS)
    room_bytes: int | None  #: of that file system, if it is one in memory
    free_bytes: int | None


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
    last_words: str = ""  #: what a fault handler wrote, wherever it wrote it
    crashes: tuple[CrashWords, ...] = ()  #: the last few
    stderr_cut: bool = False  #: more was written before
    abort_cut: bool = False  #: it was longer


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
        last_words=data[_WORDS_START : _WORDS_START + min(header[4], _WORDS_BYTES)]
        .replace(b"\0", b"")
        .decode(errors="replace"),
        crashes=_crashes(data),
        stderr_cut=header[5] > _RING_BYTES,
        abort_cut=len(header[72].rstrip(b"\0")) >= len(header[72]) - 1,
    )


def _tail(data: bytes, total: int) -> bytes:
    ring = data[_RING_START:_WORDS_START]
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
    names = fields[12 + _ANCESTORS]
    for number, ancestor_pid in enumerate(fields[12 : 12 + _ANCESTORS]):
        if ancestor_pid <= 0:
            break
        ancestors.append(Ancestor(ancestor_pid, _text(names[16 * number : 16 * number + 16])))
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


def _crashes(data: bytes) -> tuple[CrashWords, ...]:
    found = []
    for number in range(_CRASHES):
        start = _CRASHES_START + number * _CRASH_BYTES
        one = data[start : start + _CRASH_BYTES]
        if len(one) == _CRASH_BYTES and any(one[:8]):
            found.append(_crash(one))
    return tuple(sorted(found, key=lambda crash: crash.sequence))


def _crash(data: bytes) -> CrashWords:
    fields = _CRASH.unpack(data[: _CRASH.size])
    sequence, machine, register_count = fields[:3]
    counter, pointer, _, size, start, block, blocks, free = fields[37:45]
    stack_bytes, maps_bytes, code_bytes, code, mount = fields[45:50]
    maps_end = _CRASH.size + _MAPS_BYTES
    return CrashWords(
        sequence=sequence,
        machine=machine,
        registers=fields[3 : 3 + min(register_count, 34)],
        counter=counter,
        stack_pointer=pointer,
        thread_stack_bytes=size,
        stack_start=start,
        stack=data[maps_end : maps_end + min(stack_bytes, _STACK_BYTES)],
        maps=data[_CRASH.size : _CRASH.size + min(maps_bytes, _MAPS_BYTES)].decode(
            errors="replace"
        ),
        code=code[: min(code_bytes, len(code))],
        mount=_text(mount),
        room_bytes=block * blocks if block else None,
        free_bytes=block * free if block else None,
    )


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode(errors="replace")
