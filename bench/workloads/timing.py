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
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    times = {"loop": time.perf_counter() - wall, "loop_cpu": time.process_time() - cpu}
    print(json.dumps(times), flush=True)
    if os.environ.get("BENCH_HOLD"):
        sys.stdin.read()
