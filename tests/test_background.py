"""Errors in the background: whether somebody asked for them, however close the asking and the failing are."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from outlive.record.inside.background import Background


class Notes:
    """A journal that only remembers."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []

    def note(self, kind: str, **fields: Any) -> None:
        self.told.append((kind, fields))


@pytest.mark.parametrize("when", ["before", "while it is told", "after", "never"])
def test_an_error_that_is_asked_for_is_seen(when: str) -> None:
    future: Future[None] = Future()
    notes = Notes()

    def tell(*arguments: Any, **options: Any) -> int:
        if when == "while it is told":
            background._asked(future)
        return 7

    background = Background(notes, tell)  # type: ignore[arg-type]  # all of a journal that it uses

    if when == "before":
        background._asked(future)
    background._failed(future, ValueError("x"))
    if when == "after":
        background._asked(future)

    assert bool(notes.told) == (when != "never")
    assert all(entry == ("seen", {"mark": 7}) for entry in notes.told)
