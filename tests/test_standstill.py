"""While the recorder looks at objects of the program, no other thread of the program moves."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from types import FrameType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from outlive.record.inside import looking
from outlive.record.inside.census import Standstill
from outlive.record.inside.looking import Looker
from outlive.record.inside.search import Search
from outlive.record.inside.walk import Walk


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


def test_a_clock_that_a_test_has_stopped_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> float:
        raise AssertionError("not ours to ask")

    for name in ("monotonic", "perf_counter", "thread_time", "sleep"):
        monkeypatch.setattr(time, name, stopped)

    with Standstill():
        Search(is_here, 0.0).names()
        Walk(is_here, lambda _: None).run()


class Batch:
    """What a function has in its hands, and replaces."""


def is_here(file: str) -> bool:
    return file == __file__


def test_what_a_running_function_lets_go_of_after_a_look_is_gone() -> None:
    made: list[weakref.ref[Batch]] = []
    looked, let_go, end = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        batch: Batch | None = Batch()
        made.append(weakref.ref(batch))
        let_go.set()
        looked.wait()
        batch = None
        let_go.set()
        end.wait()

    thread = threading.Thread(target=work)
    thread.start()
    let_go.wait()
    let_go.clear()
    with Standstill():
        search = Search(is_here, time.perf_counter() + 1.0)
        search.names()
        Walk(is_here, search.file_of).run()
    looked.set()
    let_go.wait()
    gone = made[0]() is None
    end.set()
    thread.join()

    assert gone


class Overheard(Standstill):
    """Notes which functions of the operating system are called: each lets the other threads go on."""

    calls: ClassVar[list[str]] = []

    def __enter__(self) -> None:
        super().__enter__()
        sys.setprofile(self._heard)

    def __exit__(self, *error: Any) -> None:
        sys.setprofile(None)
        super().__exit__(*error)

    def _heard(self, _: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and getattr(called, "__module__", "") in ("posix", "_io"):
            self.calls.append(called.__name__)


def test_nothing_is_asked_of_the_system_while_all_stand_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looking, "Standstill", Overheard)
    monkeypatch.setattr(Overheard, "calls", [])
    monkeypatch.setenv(
        "SERVICE_TOKEN", "/var/run/token"
    )  # whether it is a path is asked on the disk
    noted: list[dict[str, Any]] = []
    journal: Any = SimpleNamespace(note=lambda _, **found: noted.append(found))
    pipelines: Any = SimpleNamespace(iterators=list, last_built=list)
    end = threading.Event()

    def work(picture: str) -> None:
        ready.set()
        end.wait()

    ready = threading.Event()
    thread = threading.Thread(target=work, args=("/photos/1.jpg",))
    thread.start()
    ready.wait()
    Looker(journal, is_here, pipelines, deep=False).look(100, 200, 150)
    end.set()
    thread.join()

    assert ["/photos/1.jpg"] == noted[0]["pictures"]
    assert [] == Overheard.calls
