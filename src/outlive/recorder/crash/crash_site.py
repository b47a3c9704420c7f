"""The raw words of a crash made into what a person can read: frames with names, what lies at the address, which instruction.

Plain data, for the record. What it is made of (memory of the program) is dropped afterwards.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from outlive.recorder.crash.demangling import demangled, short
from outlive.recorder.crash.instructions import decode, lacks
from outlive.recorder.crash.mappings import NULL_BYTES, Mappings
from outlive.recorder.crash.shim_file import CrashWords, SignalSeen
from outlive.recorder.crash.unwinding import Frame, Objects, walk

SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV = 4, 5, 7, 8, 11

#: The kernel's own word for "somewhere, it was no address at all" (a general protection fault).
FROM_KERNEL = 0x80

#: Our own library has a frame at the beginning of threads, and where it wraps a call.
OURS = (
    "/outlive/inside/_shim.so",
    "/outlive/record/inside/_shim.so",  # where it was until 0.1, in records that are kept
)

FRAMES_KEPT = 60
LONGEST_NAME = 200
PAGE = 4096

CPU_INFORMATION = "/proc/cpuinfo"


@functools.lru_cache(maxsize=16)  # a verdict reads it, then the record is sealed
def site_of(seen: SignalSeen, words: CrashWords) -> dict[str, Any]:
    """Describe one crash: its instruction, its frames, the address that it used."""
    mappings = Mappings(words.maps)
    objects = Objects(mappings, seen.realtime_ns / 1e9)
    try:
        walked = walk(words.machine, words.registers, words.stack, words.stack_start, objects)
        frames = [frame for frame in walked if not frame.file.endswith(OURS)]
        found: dict[str, Any] = {
            "counter": words.counter,
            "stack_pointer": words.stack_pointer,
            "code": words.code.hex(),
            "frames": [_plain(frame) for frame in frames[:FRAMES_KEPT]],
            "repeats": _repeats(frames),
            "thread_stack": words.thread_stack_bytes or None,
            "main_thread": seen.tid == seen.pid,
            "fault": _fault(seen, words, mappings),
        }
    finally:
        objects.close()
    if seen.signo == SIGILL:
        found["instruction"] = _instruction(words)
    if seen.signo == SIGBUS and words.mount:
        found["mount"] = {
            "point": words.mount,
            "room": words.room_bytes,
            "free": words.free_bytes,
        }
    return found


def _plain(frame: Frame) -> list[Any]:
    name = short(demangled(frame.symbol))[:LONGEST_NAME]
    return [frame.file, frame.offset if frame.file else frame.address, name]


def _repeats(frames: list[Frame]) -> int:
    """How often the function that is there most often is there: recursion in native code."""
    names = [frame.symbol or f"{frame.file}+{frame.offset:#x}" for frame in frames if frame.file]
    return max((names.count(name) for name in set(names)), default=0)


def _fault(seen: SignalSeen, words: CrashWords, mappings: Mappings) -> dict[str, Any] | None:
    """Say what lies at the address whose use was the fault."""
    if seen.signo not in (SIGSEGV, SIGBUS) or seen.code <= 0:
        return None
    address = seen.fault_address
    if seen.signo == SIGSEGV and seen.code == FROM_KERNEL:
        return {"kind": "no-address"}
    found: dict[str, Any] = {"address": address, "execution": address == words.counter}
    here = mappings.at(address)
    stack = mappings.stack_above(address)
    if address < NULL_BYTES:
        kind = "null"
    elif stack is not None and _on_stack(words, stack.start, stack.end):
        kind = "stack-end"
        found["stack"] = words.thread_stack_bytes or stack.end - stack.start
    elif here is None:
        kind = "unmapped" if mappings else "unknown"
    elif here.file:
        kind = "file"
        found["file"] = here.file
        found["file_offset"] = here.file_offset(address)
        found["permissions"] = here.permissions
        found["deleted"] = here.deleted
        if seen.signo == SIGBUS and not here.deleted:
            found["file_size"] = _size(here.file)
    else:
        kind = "forbidden" if here.forbidden else "memory"
        found["permissions"] = here.permissions
    return {"kind": kind, **found}


def _on_stack(words: CrashWords, start: int, end: int) -> bool:
    """Whether the stack pointer says that this is the stack which was in use."""
    return start - words.stack_start <= PAGE and words.stack_start < end


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _instruction(words: CrashWords) -> dict[str, Any]:
    instruction = decode(words.code, words.machine)
    return {
        "set": instruction.set,
        "trap": instruction.trap,
        "lacking": lacks(instruction, cpu_flags()),
    }


def cpu_flags() -> frozenset[str]:
    """Read the features of this machine's CPU, as Linux lists them."""
    try:
        with open(CPU_INFORMATION, encoding="ascii", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return frozenset(value.split())
    except OSError:
        pass
    return frozenset()
