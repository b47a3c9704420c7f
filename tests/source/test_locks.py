"""Which locks a line takes and which it runs under, read from the source."""

from __future__ import annotations

import textwrap

import pytest

from outlive.source.locks import LockLines, Taken
from outlive.source.tree import tree_of

CODE = textwrap.dedent(
    """\
    import threading
    LOCK = threading.Lock()

    def one(self, other):
        with self.lock:
            before()
            with other.lock, LOCK:
                work()
        after()

    def two(lock):
        lock.acquire()
        try:
            work()
        finally:
            lock.release()
        work()

    def three(lock):
        if lock.acquire(timeout=3):
            work()
        if lock.acquire(False):
            work()
        def inner():
            with LOCK:
                work()
        inner()

    async def four(items):
        with (
            items.lock as held,
        ):
            await work(held)
    """
)
LINES = CODE.splitlines()


def at(text: str, count: int = 1) -> int:
    return [number for number, line in enumerate(LINES, 1) if line.strip() == text][count - 1]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("with self.lock:", ["self.lock"]),
        ("with other.lock, LOCK:", ["other.lock", "LOCK"]),
        ("lock.acquire()", ["lock"]),
        ("with LOCK:", ["LOCK"]),
        ("items.lock as held,", ["items.lock"]),
        ("before()", []),
    ],
)
def test_the_locks_that_a_line_takes(line: str, names: list[str]) -> None:
    assert names == [taken.name for taken in LockLines(tree_of(CODE)).waits_at(at(line))]


def test_a_lock_that_is_taken_with_a_timeout_or_without_waiting_is_told_apart() -> None:
    source = LockLines(tree_of(CODE))

    assert [True] == [taken.timed for taken in source.waits_at(at("if lock.acquire(timeout=3):"))]
    assert [True] == [taken.timed for taken in source.waits_at(at("if lock.acquire(False):"))]
    assert [False] == [taken.timed for taken in source.waits_at(at("lock.acquire()"))]


@pytest.mark.parametrize(
    ("line", "count", "names"),
    [
        ("before()", 1, ["self.lock"]),
        ("work()", 1, ["self.lock", "other.lock", "LOCK"]),
        ("with other.lock, LOCK:", 1, ["self.lock"]),
        ("after()", 1, []),
        ("work()", 2, ["lock"]),
        ("work()", 3, []),
        ("work()", 6, ["LOCK"]),
        ("await work(held)", 1, ["items.lock"]),
    ],
)
def test_the_locks_under_which_a_line_runs(line: str, count: int, names: list[str]) -> None:
    assert names == [taken.name for taken in LockLines(tree_of(CODE)).held_at(at(line, count))]


def test_a_lock_is_held_since_the_line_that_took_it() -> None:
    assert [Taken("lock", at("lock.acquire()"))] == LockLines(tree_of(CODE)).held_at(
        at("work()", 2)
    )


@pytest.mark.parametrize("text", ["", "def (", "\0", "x = " + "(" * 400])
def test_a_source_that_cannot_be_parsed_tells_nothing(text: str) -> None:
    source = LockLines(tree_of(text))

    assert ([], [], set(), "") == (
        source.waits_at(1), source.held_at(1), source.calls(1), source.receiver(1, "get")
    )  # fmt: skip
