"""While the recorder looks at objects of the program, no other thread of the program moves."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from outlive.record.inside.census import Standstill


@pytest.fixture
def counts() -> Iterator[list[int]]:
    """Threads that want to run all the time, and how often each did."""
    counted, stop = [0] * 3, threading.Event()

    def run(place: int) -> None:
        while not stop.is_set():
            counted[place] += 1

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(counted))]
    for thread in threads:
        thread.start()
    yield counted
    stop.set()
    for thread in threads:
        thread.join()


def test_nobody_else_runs_though_many_wait_for_their_turn(counts: list[int]) -> None:
    still = 0
    for _ in range(8):
        with Standstill():
            before = list(counts)
            until = time.perf_counter() + 0.03
            while time.perf_counter() < until:
                pass
            still += before == counts

    assert still >= 7, "a machine that stops us in the one moment that counts is rare"


def test_afterwards_everything_is_as_before(counts: list[int]) -> None:
    interval, collecting = sys.getswitchinterval(), gc.isenabled()
    with Standstill():
        assert not gc.isenabled()
    assert (interval, collecting) == (sys.getswitchinterval(), gc.isenabled())

    before = list(counts)
    while before == counts:  # they go on, or the test runs out of time
        time.sleep(0.001)


def test_what_was_switched_off_stays_off() -> None:
    gc.disable()
    try:
        with Standstill():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
