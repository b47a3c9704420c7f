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

from outlive.inside.memory import look
from outlive.inside.memory.census import Standstill
from outlive.inside.memory.heap_walk import Walk
from outlive.inside.memory.look import Looker
from outlive.inside.memory.named_containers import Search


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


@pytest.mark.timeout(300)  # a turn that is lost to one who computes comes back after 5 to 15 s
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
    before_it = sys.getswitchinterval(), gc.isenabled(), gc.get_threshold()
    with Standstill():
        assert gc.isenabled(), "what the program says of it is the program's"
    assert before_it == (sys.getswitchinterval(), gc.isenabled(), gc.get_threshold())

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


@pytest.fixture
def settings() -> Iterator[None]:
    """What these tests change is set back."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    yield
    gc.enable()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("settings")
def test_no_garbage_is_collected_meanwhile() -> None:
    gc.set_threshold(10, 1, 1)
    with Standstill():
        before = gc.get_stats()
        _kept = [[] for _ in range(1000)]
        assert before == gc.get_stats()
    assert gc.get_threshold() == (10, 1, 1)


@pytest.mark.usefixtures("settings")
def test_the_programs_last_word_holds() -> None:
    with Standstill():
        gc.disable()
        gc.set_threshold(123)
        sys.setswitchinterval(0.25)
    assert not gc.isenabled()
    assert gc.get_threshold()[0] == 123
    assert max(gc.get_threshold()) < 1000, "the others are as they were"
    assert sys.getswitchinterval() == pytest.approx(0.25)


@pytest.mark.usefixtures("settings")
def test_who_puts_back_what_was_ours_gets_what_was_there() -> None:
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    with Standstill():
        seen = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(*seen[0])
    sys.setswitchinterval(seen[1])
    with Standstill():
        pass
    assert (thresholds, interval) == (gc.get_threshold(), sys.getswitchinterval())


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
    monkeypatch.setattr(look, "Standstill", Overheard)
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
