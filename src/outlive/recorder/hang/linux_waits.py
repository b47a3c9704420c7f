"""What the kernel knows of a thread that waits: in which call, and for which file, terminal, pipe or socket.

``/proc/PID/task/TID/syscall`` may be read of one's own descendants, and of one's own processes where ptrace is allowed.
"""

from __future__ import annotations

import os

from outlive.inside.machine.host import Host, whole

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MAX_THREADS = 64
MAX_DESCRIPTORS = 256

#: Calls in which threads wait, by their numbers.
CALLS = {
    "x86_64": {
        0: "read", 1: "write", 7: "poll", 23: "select", 34: "pause", 35: "sleep", 42: "connect", 43: "accept",
        45: "receive", 47: "receive", 61: "wait", 72: "fcntl", 73: "flock", 128: "sigwait", 130: "pause",
        202: "futex", 230: "sleep", 232: "poll", 247: "wait", 270: "select", 271: "poll", 281: "poll", 288: "accept",
    },
    "aarch64": {
        22: "poll", 25: "fcntl", 32: "flock", 63: "read", 64: "write", 72: "select", 73: "poll", 95: "wait",
        98: "futex", 101: "sleep", 115: "sleep", 133: "pause", 137: "sigwait", 202: "accept", 203: "connect",
        207: "receive", 212: "receive", 242: "accept", 260: "wait",
    },
}  # fmt: skip

#: Of a lock: the wait ends by itself.
WITH_A_TIMEOUT = "with a timeout"

#: Their first argument is a descriptor.
OF_A_DESCRIPTOR = frozenset({"read", "write", "accept", "connect", "receive", "fcntl", "flock"})


def partners(
    host: Host, waits: dict[str, list[list[Any]]], pids: Iterable[int]
) -> dict[str, list[list[Any]]]:
    """The same, where a thread waits at a pipe, with the process of ours that holds its other end: ``1 pipe:[77] of 4711``."""
    wanted = {
        str(task[3]).partition(" ")[2]
        for tasks in waits.values()
        for task in tasks
        if task[2] in ("read", "write") and " pipe:[" in task[3]
    }
    if not wanted:
        return waits
    ends = {pid: _pipe_ends(host, pid, wanted) for pid in sorted(pids)[:MAX_THREADS]}
    for pid, tasks in waits.items():
        for task in tasks:
            pipe = str(task[3]).partition(" ")[2]
            other = (pipe, "write" if task[2] == "read" else "read")
            holder = next((o for o, held in ends.items() if str(o) != pid and other in held), None)
            if pipe in wanted and holder is not None:
                task[3] = f"{task[3]} of {holder}"
    return waits


def _pipe_ends(host: Host, pid: int, wanted: set[str]) -> set[tuple[str, str]]:
    """Which ends of these pipes a process has open."""
    found: set[tuple[str, str]] = set()
    try:
        descriptors = os.listdir(f"{host.root}/proc/{pid}/fd")[:MAX_DESCRIPTORS]
    except OSError:
        return found
    for descriptor in descriptors:
        try:
            target = os.readlink(f"{host.root}/proc/{pid}/fd/{descriptor}")
        except OSError:
            continue
        if target in wanted:
            info = host.read(f"/proc/{pid}/fdinfo/{descriptor}", 256) or ""
            flags = next((w.split()[1] for w in info.splitlines() if w.startswith("flags:")), "0")
            found.add((target, "write" if int(flags, 8) & os.O_WRONLY else "read"))
    return found


def waits_of(host: Host, pid: int) -> list[list[Any]]:
    """For each thread: its number, its state, the call in which it waits, and what that call is about."""
    try:
        threads = sorted(int(name) for name in os.listdir(f"{host.root}/proc/{pid}/task"))
    except OSError:
        return []
    return [[thread, *_wait_of(host, pid, thread)] for thread in threads[:MAX_THREADS]]


def _wait_of(host: Host, pid: int, thread: int) -> tuple[str, str, str]:
    text = host.read(f"/proc/{pid}/task/{thread}/stat", 512) or ""
    state = text.rpartition(")")[2].split()[:1]
    words = (host.read(f"/proc/{pid}/task/{thread}/syscall", 256) or "").split()
    if not words:
        return "".join(state), "", ""
    number = whole(words[0])
    if number is None:
        return "".join(state), "running" if words[0] == "running" else "", ""
    call = CALLS.get(os.uname().machine, {}).get(number, f"call {number}")
    if call == "select" and len(words) > 1 and words[1] == "0x0":
        call = "sleep"  # of no descriptors: how Python slept before 3.11
    target = ""
    if call in OF_A_DESCRIPTOR and len(words) > 1:
        target = _descriptor(host, pid, int(words[1], 16))
    if call == "futex" and len(words) > 4 and words[4] != "0x0":
        target = WITH_A_TIMEOUT
    return "".join(state), call, target


def _descriptor(host: Host, pid: int, number: int) -> str:
    try:
        return f"{number} {os.readlink(f'{host.root}/proc/{pid}/fd/{number}')}"
    except OSError:
        return str(number)
