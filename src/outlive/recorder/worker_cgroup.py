"""A memory cgroup for a worker, or for a program that is tried again: when it takes too much, the kernel ends it, and nobody else.

Made below the job's own group, where the machine lets us; elsewhere the parent watches the worker's memory and ends it itself. A group
whose maker was killed is left behind empty: the next job removes it.
"""

from __future__ import annotations

import os
import time
import uuid

from outlive.inside.machine.host import GroupFolder, GroupReading, Host

PREFIX = "outlive-cell-"
SECONDS_TO_EMPTY = 2.0


class Cell:
    """One cgroup, with a limit."""

    def __init__(self, host: Host, folder: GroupFolder) -> None:
        self._host = host
        self._folder = folder

    @property
    def path(self) -> str:
        """The folder of the cgroup."""
        return self._folder.path

    @property
    def version(self) -> int:
        """The version of cgroups, 1 or 2."""
        return self._folder.version

    def read(self) -> GroupReading:
        """Read the counters of the group as they are now."""
        return self._host.read_group(self._folder)

    def used_bytes(self) -> int | None:
        """Memory in use, without file cache."""
        used = self.read().used_bytes
        return None if used is None else max(0, used - self._host.group_cache(self._folder))

    def remove(self) -> None:
        """Once its worker is dead; one whose zygote was killed takes a moment to be buried."""
        until = time.monotonic() + SECONDS_TO_EMPTY
        while True:
            try:
                os.rmdir(self.path)
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > until:
                    return  # the next job sweeps it up
                time.sleep(0.01)
            else:
                return


def make_cell(host: Host, limit_bytes: int) -> Cell | None:
    """A group with this limit, or ``None`` where none can be made."""
    own = next(iter(host.memory_groups()), None)
    if own is None or not os.access(own.path, os.W_OK):
        return None
    if own.version == 2 and "memory" not in (host.read(f"{own.path}/cgroup.subtree_control") or ""):
        return None  # a group with processes cannot have groups below it that bound memory
    sweep(host)
    folder = GroupFolder(f"{own.path}/{PREFIX}{os.getpid()}-{uuid.uuid4().hex[:8]}", own.version)
    first = own.version == 1
    try:
        os.mkdir(folder.path)
    except OSError:
        return None
    cell = Cell(host, folder)
    try:
        _write(folder.path, "memory.limit_in_bytes" if first else "memory.max", limit_bytes)
    except OSError:
        cell.remove()
        return None
    try:
        _write(folder.path, "memory.swappiness" if first else "memory.swap.max", 0)
    except OSError:
        pass  # not every kernel has it, and not every machine has swap
    return cell


def _write(folder: str, name: str, value: int) -> None:
    with open(f"{folder}/{name}", "w") as file:
        file.write(str(value))


def sweep(host: Host) -> None:
    """Remove the groups of jobs that were killed. One with a process in it cannot be removed, and is not."""
    own = next(iter(host.memory_groups()), None)
    if own is None:
        return
    parent = own.path
    try:
        names = os.listdir(parent)
    except OSError:
        return
    for name in names:
        pid = name.removeprefix(PREFIX).partition("-")[0]
        if name.startswith(PREFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            try:
                os.rmdir(f"{parent}/{name}")
            except OSError:
                pass
