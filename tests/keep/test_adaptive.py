"""Batches are halved until they fit, and what killed is not tried again."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limited import enter

import outlive
from outlive.errors import UsageError
from outlive.keep.pressure import adaptive
from outlive.keep.pressure.exhaustion import is_exhaustion
from outlive.keep.pressure.remembered_sizes import Remembered
from outlive.keep.pressure.sizes import CALLS_BEFORE_GROWING, Known, would_fit
from outlive.keep.pressure.watch import Pressure


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OUTLIVE_RECORD_FOLDER", raising=False)
    return tmp_path / "home"


class ResourceExhaustedError(Exception):
    pass


class Step:
    """Fits up to a size."""

    def __init__(self, most: int, error: BaseException | None = None) -> None:
        self.most, self.tried = most, []
        self.error = error or ResourceExhaustedError("OOM when allocating tensor")

    def __call__(self, *args: Any, batch_size: int) -> int:
        self.tried.append(batch_size)
        if batch_size > self.most:
            raise self.error
        return batch_size


@pytest.mark.parametrize(
    "error",
    [ResourceExhaustedError("x"), MemoryError(), outlive.MemoryBrake("x"), outlive.BatchTooLarge("x"),
     RuntimeError("CUDA out of memory")],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_it_halves_until_it_fits_and_stays_there(error: BaseException) -> None:
    step = Step(50, error)
    fit = outlive.adaptive(step, 256)

    assert (32, 32) == (fit("x"), fit("x"))

    assert [256, 128, 64, 32, 32] == step.tried
    assert Known(32, 64) == Known(fit.known.fits, fit.known.fails)


def test_other_errors_pass_and_so_does_one_that_no_size_mends() -> None:
    with pytest.raises(KeyError):
        outlive.adaptive(Step(1, KeyError("labels")), 8)()
    with pytest.raises(MemoryError):
        outlive.adaptive(Step(0, MemoryError()), 8)()


def test_an_error_that_was_raised_from_exhaustion_is_one() -> None:
    try:
        try:
            raise MemoryError
        except MemoryError as error:
            raise ValueError("step 3 failed") from error
    except ValueError as error:
        wrapped = error

    assert is_exhaustion(wrapped)
    assert not is_exhaustion(ValueError("shapes differ"))
    assert not is_exhaustion(None)


def test_every_item_is_given_once_and_in_order() -> None:
    seen: list[int] = []

    def step(part: Any) -> int:
        if len(part) > 5:
            raise MemoryError
        seen.extend(part)
        return len(part)

    for items in (list(range(23)), iter(range(23))):
        seen.clear()
        counts = list(outlive.adaptive(step, 16, key="once").over(items))
        assert (list(range(23)), 23) == (seen, sum(counts))


def test_what_failed_is_known_at_the_next_start(caplog: pytest.LogCaptureFixture) -> None:
    outlive.adaptive(Step(50), 256, key="mine")()
    again, other = Step(50), Step(50)
    with caplog.at_level(logging.WARNING, "outlive"):
        assert 32 == outlive.adaptive(again, 256, key="mine")()
    outlive.adaptive(other, 256, key="another")()

    assert [32] == again.tried
    assert 256 == other.tried[0]
    assert "64 did not fit before" in caplog.text


def test_when_not_even_the_smallest_fits_it_was_not_the_size_and_nothing_is_held_against_any() -> (
    None
):
    with pytest.raises(MemoryError):
        outlive.adaptive(Step(0, MemoryError()), 8, key="full", at_least=2)()
    Remembered("full").save(Known(0, 2, 1000))  # as one leaves it that was killed with the smallest
    again = Step(8)

    assert 8 == outlive.adaptive(again, 8, key="full", at_least=2)()
    assert [8] == again.tried


def test_it_grows_back_only_into_memory_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"bytes": 100}
    monkeypatch.setattr(adaptive, "pressure_now", lambda: Pressure(used["bytes"], 1000, "a test"))
    step = Step(100)
    fit = outlive.adaptive(step, 128)
    used["bytes"] = 400  # 300 for a batch of 64: one of 96 would need 550 in all
    for _ in range(CALLS_BEFORE_GROWING + 1):
        fit()
    assert 96 == step.tried[-1]

    step.tried.clear()
    used["bytes"] = 900
    for _ in range(3 * CALLS_BEFORE_GROWING):
        fit()

    assert {96} == set(step.tried)


@given(st.integers(1, 5000), st.integers(1, 5000), st.lists(st.booleans(), max_size=30))
def test_no_size_that_failed_is_chosen_again(wish: int, most: int, grow: list[bool]) -> None:
    known = Known()
    size = known.first(wish, 1)
    failed: set[int] = set()
    for larger in grow:
        if size > most:
            failed.add(size)
            known = known.failed(size, None)
            following = known.smaller(size, 1)
            assert following is None or following < size
            size = following or size
        else:
            known = known.fitted(size)
            size = (known.larger(size, wish) if larger else None) or size
        assert 1 <= size <= wish
        assert size not in failed or size == 1


def test_what_failed_with_less_memory_may_be_tried_again() -> None:
    known = Known(32, 64, 1000)

    assert 64 == known.with_memory(1000).fails
    assert known.with_memory(2000).fails is None
    assert would_fit(100, 400, 1000, 64, 96) and not would_fit(100, 400, 1000, 64, 256)


def test_nothing_is_remembered_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "file"))

    assert 32 == outlive.adaptive(Step(50), 256)()


def test_what_cannot_be_asked_for_is_refused() -> None:
    for step, batch in ((None, 4), (print, 0)):
        with pytest.raises(UsageError):
            outlive.adaptive(step, batch)  # type: ignore[arg-type]


DIES = """\
import os, sys, outlive
def step(batch_size):
    if batch_size > 40:
        os.kill(os.getpid(), {signal})
    return batch_size
print(outlive.adaptive(step, 256, key="dies")())
"""


def play(text: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options.pop("words", ()), "-c", text],
        capture_output=True, text=True, timeout=60, check=False, **options,
    )  # fmt: skip


@pytest.mark.death
def test_the_size_that_was_tried_when_the_process_was_killed_is_not_tried_again() -> None:
    text = DIES.format(signal=int(signal.SIGKILL))

    ends = [play(text) for _ in range(4)]

    assert [-9, -9, -9, 0] == [done.returncode for done in ends], ends[-1].stderr
    assert "32\n" == ends[-1].stdout


@pytest.mark.death
def test_of_two_steps_the_inner_one_is_blamed() -> None:
    text = (
        DIES.format(signal=int(signal.SIGKILL)).replace("print(", "inner = ").replace(")())", ")")
    )
    text += "outer = outlive.adaptive(lambda batch_size: (inner(), batch_size), 512, key='outer')\nprint(outer())\n"

    ends = [play(text) for _ in range(4)]

    assert [-9, -9, -9, 0] == [done.returncode for done in ends], ends[-1].stderr
    assert "(32, 512)\n" == ends[-1].stdout


@pytest.mark.death
def test_a_size_is_not_blamed_for_a_death_that_the_record_explains_otherwise(home: Path) -> None:
    """Somebody else ended it: `outlive run` knows."""
    text = DIES.replace("os.kill(os.getpid(), {signal})", "os._exit(3)")
    recorded = ("-m", "outlive", "run", "--quiet", sys.executable)

    assert 3 == play(text, words=recorded).returncode
    assert Known() == Remembered("dies").load(None)


EATS = """\
import outlive
def step(batch_size):
    kept = [bytearray(b"x") * 2_000_000 for _ in range(batch_size)]
    return len(kept)
print(outlive.adaptive(step, 256, key="eats")())
"""


@pytest.mark.death
@pytest.mark.memory(200)
def test_a_batch_that_the_kernel_killed_for_is_halved_at_the_next_start(group: Path) -> None:
    ends = [play(EATS, preexec_fn=lambda: enter(group)) for _ in range(3)]

    assert [-9, -9, 0] == [done.returncode for done in ends], ends[-1].stderr
    assert "64\n" == ends[-1].stdout
