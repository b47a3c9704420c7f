"""Errors in the background: whether somebody asked for them, however close the asking and the failing are."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from outlive.inside.events.background import Background


class Notes:
    """A journal that only remembers."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []

    def note(self, kind: str, **fields: Any) -> None:
        self.told.append((kind, fields))


ASKING: dict[str, Callable[[Future[None]], Any]] = {
    "result": lambda future: future.result(),
    "exception": lambda future: future.exception(),
    "repr": repr,
    "done": lambda future: future.done(),
}


@pytest.fixture
def watched() -> tuple[type[Future[None]], Notes]:
    """A class of futures of its own: the errors of pytest's are left alone."""

    class Own(Future[None]):
        pass

    notes = Notes()
    background = Background(notes, lambda *_, **__: 7)  # type: ignore[arg-type]  # all of a journal that it uses
    background.after_import()["concurrent.futures._base"](SimpleNamespace(Future=Own))
    return Own, notes


@pytest.mark.parametrize(
    ("how", "seen"), [("result", 1), ("exception", 1), ("repr", 0), ("done", 0)]
)
def test_an_error_that_is_asked_for_is_seen(
    how: str, seen: int, watched: tuple[type[Future[None]], Notes]
) -> None:
    own, notes = watched
    future = own()
    future.set_exception(ValueError("x"))

    for _ in range(2):
        with suppress(ValueError):
            ASKING[how](future)

    assert [("seen", {"mark": 7})] * seen == notes.told
    assert vars(Future()).keys() == vars(future).keys()


def test_an_error_that_somebody_waits_for_is_seen(
    watched: tuple[type[Future[None]], Notes],
) -> None:
    own, notes = watched
    future = own()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(future.exception, 60)
        future.set_exception(ValueError("x"))

        assert isinstance(waiting.result(60), ValueError)
    assert [("seen", {"mark": 7})] == notes.told


def test_a_future_that_is_cancelled_is_told_with_the_line(
    watched: tuple[type[Future[None]], Notes],
) -> None:
    own, notes = watched
    own().cancel()

    ((kind, fields),) = notes.told
    assert ("cancelled", "future") == (kind, fields["what"])
    assert "test_a_future_that_is_cancelled_is_told_with_the_line" == fields["frames"][0][2]
