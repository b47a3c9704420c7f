"""What counts as a step, how many there will be, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from outlive.keep.rehearse.answer import Seen, Will, answer_on, points_of
from outlive.keep.rehearse.forecast import curve_of
from outlive.keep.rehearse.steps import (
    BATCHES,
    ELEMENTS,
    SECONDS,
    TURNS,
    Counted,
    While,
    count_steps,
    fors_in,
    whiles_in,
)
from outlive.keep.rehearse.watch import Reading, Watched

NOTHING = {
    "batches": 0, "elements": 0, "sessions": 0, "epoch": 0, "epochs": 0, "batches_an_epoch": 0, "epoch_began_at": 0,
    "taken": 0, "cardinality": -1, "loops": [],
}  # fmt: skip
MB = 1_000_000


class Around:
    """A source with a loop at line 4 in one at line 2, and another that counts."""

    def fors(self, file: str, line: int) -> Sequence[int]:
        return {5: [4], 6: [2, 4], 9: []}[line]

    def whiles(self, file: str, line: int) -> Sequence[While]:
        return [While(8, "step", 2, "most")] if line == 9 else []


around = Around()


def ticks(count: int, *each: Any) -> list[dict[str, Any]]:
    return [NOTHING | {"time": 100.0 + at, **each[0](at)} for at in range(count)]


def test_batches_of_keras_count_before_the_loop_around_them():
    found = count_steps(
        ticks(40, lambda at: {
            "batches": 10 * at, "epoch": 1 + at // 20, "epochs": 5, "batches_an_epoch": 200,
            "epoch_began_at": at // 20 * 200, "loops": [["a.py", 5, "main", 1, at, 100 - at]],
        }), around,
    )  # fmt: skip

    assert (BATCHES, 390) == (found.what, found.done)
    assert found.total == pytest.approx(390 + 10 * (100 - 39), rel=0.02), "the loop tells the rest"


def test_epochs_and_batches_tell_the_total():
    found = count_steps(
        ticks(30, lambda at: {
            "batches": 10 * at, "epoch": 1 + at // 20, "epochs": 5, "batches_an_epoch": 200,
            "epoch_began_at": at // 20 * 200,
        }), around,
    )  # fmt: skip

    assert 1000 == found.total
    assert "5 epochs of 200 batches" == found.why


def test_elements_of_a_dataset_know_how_many_there_are():
    found = count_steps(
        ticks(20, lambda at: {"elements": 5 * at, "taken": 5 * at, "cardinality": 1000}), around
    )

    assert (ELEMENTS, 95, 1000) == (found.what, found.done, found.total)


def test_what_ended_early_was_a_preparation():
    found = count_steps(
        ticks(40, lambda at: {"elements": min(at, 15) * 50, "loops": [["a.py", 5, "main", 1, at, 99 - at]]}), around
    )  # fmt: skip

    assert TURNS == found.what


def test_turns_of_nested_loops_add_up_over_their_passes():
    found = count_steps(
        ticks(50, lambda at: {"loops": [
            ["a.py", 6, "main", 1, at // 10, 9 - at // 10], ["a.py", 6, "main", 2 + at // 10, None, 19 - 2 * (at % 10)],
        ]}), around,
    )  # fmt: skip

    assert (TURNS, ("a.py", 4)) == (found.what, found.place)
    assert found.done == pytest.approx(98, abs=4)
    assert found.total == pytest.approx(200, abs=6)


def test_without_anything_to_count_seconds_are_steps():
    found = count_steps(ticks(20, lambda at: {}), around)

    assert (SECONDS, 19, None) == (found.what, found.done, found.total)
    assert SECONDS == count_steps([], around).what


def test_a_while_loop_that_counts_its_turns_is_counted():
    found = count_steps(
        ticks(20, lambda at: {"numbers": [["a.py", 9, "main", [["step", 6 * at], ["most", 1000], ["other", 3]]]]}), around
    )  # fmt: skip

    assert (TURNS, 57, 500, ("a.py", 8)) == (found.what, found.done, found.total, found.place)


def test_what_a_while_loop_adds_to_is_its_counter():
    text = "while step < 90:\n    work()\n    seen += 1\n    step += 2\nwhile True:\n    if a:\n        b += 1\n"
    loops = whiles_in(text)

    assert [While(1, "step", 2, 90), While(1, "seen", 1, None)] == loops(2)
    assert [] == loops(6), "it may not be added to at each turn"


def test_a_line_knows_the_loops_around_it():
    loops = fors_in("for a in b:\n    for c in d:\n        e()\n    f()\ng()\n")

    assert [[1], [1, 2], [1, 2], [1], []] == [loops(line) for line in range(1, 6)]
    assert [] == fors_in("not Python (")(1)


def seen(each: float, total: float | None, limit: int, status: int | None = None) -> Seen:
    series = tuple((float(at), 10.0 * at) for at in range(61))
    steps = Counted(TURNS, series, total)
    readings = tuple(Reading(at / 5, int(200 * MB + each * 10 * at / 5)) for at in range(1, 300))
    watched = Watched(readings, (), (), status, 60.0, limit, "--memory")
    return Seen(watched, steps, curve_of(points_of(watched, steps)))


@pytest.mark.parametrize(
    ("each", "total", "limit", "will"),
    [
        (0.5 * MB, 5000, 1000 * MB, Will.DIE),
        (0.5 * MB, None, 1000 * MB, Will.GROW),
        (0.5 * MB, 5000, 9000 * MB, Will.LIVE),
        (0.5 * MB, 5000, 3000 * MB, Will.UNKNOWN),
        (0.0, 5000, 1000 * MB, Will.LIVE),
        (0.0, None, 1000 * MB, Will.UNKNOWN),
        (0.0, 5000, 210 * MB, Will.UNKNOWN),
        (0.0, 10_000_000, 1000 * MB, Will.UNKNOWN),
    ],
)
def test_what_is_said(each: float, total: float | None, limit: int, will: Will) -> None:
    answer = answer_on(seen(each, total, limit))

    assert will is answer.will, answer.says
    if will in (Will.DIE, Will.GROW):
        assert answer.reach is not None
        assert answer.reach.step == pytest.approx(1600, rel=0.03)
        assert answer.seconds == pytest.approx(160, rel=0.05)


def test_a_part_that_was_not_seen_is_not_vouched_for():
    known = replace(seen(0.0, 5000, 1000 * MB), unseen="no epoch ended.")

    assert Will.UNKNOWN is answer_on(known).will
    assert "no epoch ended" in answer_on(known).says


def test_seconds_are_no_steps():
    known = seen(0.5 * MB, None, 1000 * MB)
    by_the_second = replace(known, counted=replace(known.counted, what=SECONDS))

    answer = answer_on(by_the_second)
    assert Will.UNKNOWN is answer.will
    assert "no step was counted" in answer.says and "If memory goes on growing" in answer.says


def test_how_it_ended_in_the_rehearsal_is_the_answer():
    assert Will.LIVE is answer_on(seen(0.5 * MB, 5000, 1000 * MB, status=0)).will
    assert Will.DIE is answer_on(seen(0.0, 5000, 1000 * MB, status=1)).will
