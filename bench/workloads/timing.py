"""What the workloads share: how much to do, and telling how long the loop took."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator


def scaled(amount: int) -> int:
    """The amount of work, or the part of it that a quick run asks for.

    Asked for by the environment and not by an argument: every profiler has its own way to pass arguments on.
    """
    return max(1, round(amount * float(os.environ.get("BENCH_SCALE", "1"))))


@contextlib.contextmanager
def timed_loop() -> Iterator[None]:
    """Measure the block and print the result; then wait for the end of stdin if the bench wants to look around."""
    counted = bool(os.environ.get("BENCH_COUNT"))
    before = recorder_seconds() if counted else 0.0
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    times = {"loop": time.perf_counter() - wall, "loop_cpu": time.process_time() - cpu}
    if counted:
        times["recorder_cpu"] = recorder_seconds() - before
    print(json.dumps(times), flush=True)
    if os.environ.get("BENCH_HOLD"):
        sys.stdin.read()


def recorder_seconds() -> float:
    """CPU time that Outlive itself has used so far: its thread in this process, and the supervisor, which is the parent.

    The recorder starts its thread before the program's first line, so it is the oldest after the main one. The kernel counts in
    nanoseconds what each has run, whatever else the machine does at the time.
    """
    threads = sorted(int(name) for name in os.listdir("/proc/self/task"))
    others = [number for number in threads if number != os.getpid()]
    paths = [
        f"/proc/{os.getppid()}/schedstat",
        *(f"/proc/self/task/{one}/schedstat" for one in others[:1]),
    ]
    return sum(_seconds_run(path) for path in paths)


def _seconds_run(path: str) -> float:
    with open(path) as file:
        return int(file.read().split()[0]) / 1e9
