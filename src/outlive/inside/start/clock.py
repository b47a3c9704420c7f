"""The clocks, as they were before the program began.

Tests stop them or count who asks: ``freezegun`` puts others into the module ``time`` and into every module that has taken one of its
names, ``mock.patch("time.time", side_effect=[1, 2])`` has two answers and no more. Whoever waits here for a clock that stands still waits
forever, with the program. The attributes of a class nobody looks into.
"""

from __future__ import annotations

import time as clocks


class Clock:
    """Python's own clocks, kept before the program could replace them."""

    time = clocks.time
    monotonic = clocks.monotonic
    monotonic_ns = clocks.monotonic_ns
    perf_counter = clocks.perf_counter
    thread_time = clocks.thread_time
    sleep = clocks.sleep
