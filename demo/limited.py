"""A cgroup with a limit on memory or on threads, for the demo and the tests: made if the machine lets us, always removed."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from outlive.inside.machine.host import GroupFolder, Host

SECONDS_TO_EMPTY = 10


def parent_group() -> GroupFolder | None:
    """A memory cgroup in which children can be made: the top one, or our own."""
    for group in reversed(Host().memory_groups()):
        if not os.access(group.path, os.W_OK):
            continue
        if group.version == 2 and "memory" not in _read(Path(group.path, "cgroup.subtree_control")):
            continue
        return group
    return None


@contextlib.contextmanager
def memory_group(megabytes: int | None, above: Path | None = None) -> Iterator[Path]:
    """A cgroup of so many MB, without swap. What is left in it at the end is killed: we started it."""
    parent = parent_group()
    assert parent is not None, "ask parent_group() first"
    folder = Path(above or parent.path, f"outlive-{uuid.uuid4().hex[:10]}")
    folder.mkdir()
    try:
        first = parent.version == 1
        limit = "memory.limit_in_bytes" if first else "memory.max"
        if megabytes is not None:
            (folder / limit).write_text(str(megabytes * 1_000_000))
        with contextlib.suppress(
            OSError
        ):  # not every kernel has it, and not every machine has swap
            (folder / ("memory.swappiness" if first else "memory.swap.max")).write_text("0")
        yield folder
    finally:
        _empty(folder)
        with contextlib.suppress(OSError):
            folder.rmdir()


def tasks_parent() -> GroupFolder | None:
    """A cgroup for tasks in which children can be made: the top one, or our own."""
    for group in reversed(Host().groups("pids")):
        if not os.access(group.path, os.W_OK):
            continue
        if group.version == 2 and "pids" not in _read(Path(group.path, "cgroup.subtree_control")):
            continue
        return group
    return None


@contextlib.contextmanager
def task_group(most: int) -> Iterator[Path]:
    """A cgroup of so many processes and threads. What is left in it at the end is killed: we started it."""
    parent = tasks_parent()
    assert parent is not None, "ask tasks_parent() first"
    folder = Path(parent.path, f"outlive-{uuid.uuid4().hex[:10]}")
    folder.mkdir()
    try:
        (folder / "pids.max").write_text(str(most))
        yield folder
    finally:
        _empty(folder)
        with contextlib.suppress(OSError):
            folder.rmdir()


def cpu_parent() -> GroupFolder | None:
    """A cgroup for CPU time in which children can be made: the top one, or our own."""
    for group in reversed(Host().groups("cpu")):
        if not os.access(group.path, os.W_OK):
            continue
        if group.version == 2 and "cpu" not in _read(Path(group.path, "cgroup.subtree_control")):
            continue
        return group
    return None


@contextlib.contextmanager
def cpu_group(cpus: float) -> Iterator[Path]:
    """A cgroup that gets so many CPUs. What is left in it at the end is killed: we started it."""
    parent = cpu_parent()
    assert parent is not None, "ask cpu_parent() first"
    folder = Path(parent.path, f"outlive-{uuid.uuid4().hex[:10]}")
    folder.mkdir()
    period = 100_000
    try:
        if parent.version == 1:
            (folder / "cpu.cfs_quota_us").write_text(str(round(cpus * period)))
        else:
            (folder / "cpu.max").write_text(f"{round(cpus * period)} {period}")
        yield folder
    finally:
        _empty(folder)
        with contextlib.suppress(OSError):
            folder.rmdir()


def enter(folder: Path) -> None:
    """Move this process into the group; for ``preexec_fn``."""
    (folder / "cgroup.procs").write_text(str(os.getpid()))


def _empty(folder: Path) -> None:
    until = time.monotonic() + SECONDS_TO_EMPTY
    while (left := _read(folder / "cgroup.procs").split()) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.01)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
