"""Read the limits on files, threads, CPU time and stack."""

from __future__ import annotations

import os

from outlive.host import Host
from outlive.look.notes import Notes

LIMITS = {
    "open files limit": "Max open files",
    "processes limit": "Max processes",
    "cpu time limit": "Max cpu time",
    "stack size limit": "Max stack size",
}
UNLIMITED = "unlimited"


def read_limits(host: Host, notes: Notes) -> None:
    """Facts about resource limits and counts of tasks."""
    table = host.limits()
    for name, kernels in LIMITS.items():
        source = f"/proc/self/limits: {kernels}"
        if kernels not in table:
            notes.add(name, None, source)
            continue
        soft, hard = table[kernels]
        notes.add(name, UNLIMITED if soft is None else soft, source)
        notes.add(f"{name}, hard", UNLIMITED if hard is None else hard, source)
    _read_tasks(host, notes)
    user = host.table("/proc/self/status").get("Uid")
    notes.add("user", user, "/proc/self/status: Uid")
    notes.add("threads of this user", _threads_of(host, user), "/proc/*/status")
    notes.add(
        "threads of the machine, at most",
        host.number("/proc/sys/kernel/threads-max"),
        "/proc/sys/kernel/threads-max",
    )


def _read_tasks(host: Host, notes: Notes) -> None:
    """How many more threads the tightest of the control groups allows."""
    room: list[tuple[int, int, int, str]] = []
    for group in host.groups("pids"):
        most = host.number(f"{group.path}/pids.max")
        now = host.number(f"{group.path}/pids.current")
        if most is not None and now is not None:
            room.append((most - now, most, now, f"{group.path}/pids.max"))
    if room:
        _, most, now, source = min(room)
        notes.add("tasks limit", most, source)
        notes.add("tasks now", now, source.replace("pids.max", "pids.current"))


def _threads_of(host: Host, user: int | None) -> int | None:
    """All threads of a user, which is what ``ulimit -u`` counts."""
    if user is None:
        return None
    total = 0
    for name in os.listdir(f"{host.root}/proc"):
        status = host.table(f"/proc/{name}/status") if name.isdigit() else {}
        if status.get("Uid") == user:
            total += status.get("Threads", 0)
    return total
