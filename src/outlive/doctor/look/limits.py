"""Read the limits on files, threads, CPU time and stack."""

from __future__ import annotations

import os

from outlive.doctor.look.notes import Notes
from outlive.inside.machine.host import Host
from outlive.model.fact_names import (
    CPU_TIME_LIMIT,
    CPU_TIME_LIMIT_HARD,
    OPEN_FILES_LIMIT,
    OPEN_FILES_LIMIT_HARD,
    PROCESSES_LIMIT,
    PROCESSES_LIMIT_HARD,
    STACK_SIZE_LIMIT,
    STACK_SIZE_LIMIT_HARD,
    TASKS_LIMIT,
    TASKS_NOW,
    THREAD_LIMIT_OF_THE_MACHINE,
    THREADS_OF_THIS_USER,
    USER,
)

LIMITS = {
    "Max open files": (OPEN_FILES_LIMIT, OPEN_FILES_LIMIT_HARD),
    "Max processes": (PROCESSES_LIMIT, PROCESSES_LIMIT_HARD),
    "Max cpu time": (CPU_TIME_LIMIT, CPU_TIME_LIMIT_HARD),
    "Max stack size": (STACK_SIZE_LIMIT, STACK_SIZE_LIMIT_HARD),
}
UNLIMITED = "unlimited"


def read_limits(host: Host, notes: Notes) -> None:
    """Facts about resource limits and counts of tasks."""
    table = host.limits()
    for kernels, (name, name_of_hard) in LIMITS.items():
        source = f"/proc/self/limits: {kernels}"
        if kernels not in table:
            notes.add(name, None, source)
            continue
        soft, hard = table[kernels]
        notes.add(name, UNLIMITED if soft is None else soft, source)
        notes.add(name_of_hard, UNLIMITED if hard is None else hard, source)
    _read_tasks(host, notes)
    user = host.table("/proc/self/status").get("Uid")
    notes.add(USER, user, "/proc/self/status: Uid")
    notes.add(THREADS_OF_THIS_USER, _threads_of(host, user), "/proc/*/status")
    notes.add(
        THREAD_LIMIT_OF_THE_MACHINE,
        host.number("/proc/sys/kernel/threads-max"),
        "/proc/sys/kernel/threads-max",
    )


def _read_tasks(host: Host, notes: Notes) -> None:
    """How many more threads the tightest of the cgroups allows."""
    room: list[tuple[int, int, int, str]] = []
    for group in host.groups("pids"):
        most = host.number(f"{group.path}/pids.max")
        now = host.number(f"{group.path}/pids.current")
        if most is not None and now is not None:
            room.append((most - now, most, now, f"{group.path}/pids.max"))
    if room:
        _, most, now, source = min(room)
        notes.add(TASKS_LIMIT, most, source)
        notes.add(TASKS_NOW, now, source.replace("pids.max", "pids.current"))


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
