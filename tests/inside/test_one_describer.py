"""Exceptions are described in one place, which masks; nobody in the watched program, in a worker or in a scan writes one down by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import outlive
from outlive.inside.notes.describe import describe, in_short
from outlive.jobs import plain_exception

SOURCE = Path(outlive.__file__).parent
TOKEN = "ghp_" + "a1B2c3D4e5" * 4

#: ``f"{type(error).__name__}: {error}"``.
BY_HAND = re.compile(r"type\((\w+)\)\.__name__\}: \{\1\}")
REASONS = {"inside/notes/unloaded.py": "only in what `tell` masks, and on one line"}


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("say", [describe, plain_exception.describe, in_short])
def test_no_secret_is_described(say: Callable[[BaseException], object]) -> None:
    first = KeyError(f"no {TOKEN}")
    first.__notes__ = [f"asked with {TOKEN}"]  # type: ignore[attr-defined]  # since Python 3.11
    error = ValueError(f"token {TOKEN} is refused")
    error.__cause__ = first

    told = str(say(error))

    assert "ValueError" in told and TOKEN not in told


@pytest.mark.parametrize("say", [describe, plain_exception.describe, in_short])
def test_one_that_cannot_speak_is_described(say: Callable[[BaseException], object]) -> None:
    assert "Silent" in str(say(Silent()))


def test_one_line_is_one_line_and_bounded() -> None:
    assert "ValueError: first" == in_short(ValueError("first\nsecond"))
    assert len(in_short(ValueError("x" * 1000), 50)) <= 60


def test_nobody_describes_an_exception_by_hand() -> None:
    found = {
        str(path.relative_to(SOURCE))
        for room in ("inside", "jobs", "data", "detection")
        for path in (SOURCE / room).rglob("*.py")
        if BY_HAND.search(path.read_text())
    }

    assert set(REASONS) == found
