"""End processes by their numbers, and no others that have got these since. Only what `--heal` was allowed to end: ADR 0016."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Sequence

from outlive.keep.pressure.remembered_sizes import started

SECONDS_TO_END = 5.0
SECONDS_BETWEEN = 0.02


def with_start(pids: Iterable[int]) -> list[tuple[int, str]]:
    """Each with the moment at which it was started: a number is used again, the two together are not."""
    return [(pid, started(pid)) for pid in pids]


def end_all(processes: Sequence[tuple[int, str]]) -> None:
    """SIGTERM to each that is still there; SIGKILL to who has not gone after a while."""
    for number, seconds in ((signal.SIGTERM, SECONDS_TO_END), (signal.SIGKILL, SECONDS_TO_END)):
        for pid, _ in _alive(processes):
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                continue
        until = time.monotonic() + seconds
        while _alive(processes) and time.monotonic() < until:
            time.sleep(SECONDS_BETWEEN)


def _alive(processes: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return [
        (pid, began)
        for pid, began in processes
        if began and started(pid) == began and not _is_a_zombie(pid)
    ]


def _is_a_zombie(pid: int) -> bool:
    """Dead, and waiting for somebody to take note."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[:1] == [b"Z"]
    except OSError:
        return True
