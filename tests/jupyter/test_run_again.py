"""The cells to run again, as the notebook numbers them."""

from __future__ import annotations

from outlive.jupyter.run_again import run_again
from outlive.model.events import Cell


def cells(*texts: str) -> list[Cell]:
    """Cells that were run one after the other; the last one killed the kernel."""
    known = [Cell(number, text, cell=text) for number, text in enumerate(texts, 1)]
    return [*known[:-1], Cell(len(texts), texts[-1], done=False)]


def test_neighbours_are_named_as_one() -> None:
    told = run_again(cells("import os", "a = 1", "b = a", "x = 0", "print(os, a, b, c)"))

    assert told == "The variables are gone. First run [1]–[3] again, then this cell."


def test_others_are_named_one_by_one() -> None:
    told = run_again(cells("%load_ext x\na = 1", "x = 0", "b = 2", "%%time\na + b"))

    assert "First run [1] and [3] again" in told


def test_a_cell_that_was_run_twice_is_named_as_it_is_shown() -> None:
    assert "First run [3] again" in run_again(cells("a = 1", "x = 0", "a = 1", "print(a)"))


def test_a_cell_that_needs_nothing_needs_no_words() -> None:
    assert "" == run_again(cells("a = 1", "print(2)"))


def test_a_kernel_that_died_between_cells_asks_for_nothing() -> None:
    assert "" == run_again([Cell(1, "a = 1")])


def test_many_are_named_by_the_first_and_the_last() -> None:
    texts = [text for number in range(10) for text in (f"a{number} = 1", "x = 0")]
    used = " + ".join(f"a{number}" for number in range(10))

    assert "First run [1]–[19] again" in run_again(cells(*texts, used))
