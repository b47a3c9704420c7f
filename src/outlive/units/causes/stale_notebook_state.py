"""The notebook relies on what an earlier kernel knew."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    CELLS_THAT_DEFINE_IT_BUT_HAVE_NOT_RUN,
    CELLS_THAT_RAN,
    TIMES_THE_CELL_WAS_RUN,
)
from outlive.model.findings import Confidence, Fact, Finding, Place, Remedy
from outlive.model.patterns import has_word
from outlive.units.notebook_names import defined_in, like_another, run_twice, undefined_name
from outlive.units.unit import cause


@cause(
    "D904",
    since="0.1",
    behind=("uncaught-exception", "shape-mismatch", "dtype-mismatch", "exited-by-program"),
    searched=(
        "NameError: name is not defined after restart kernel",
        "notebook fails on run all but works cell by cell",
        "jupyter cells run out of order",
    ),
)
def stale_notebook_state(evidence: Evidence) -> Iterator[Finding]:
    """The notebook relies on state that its cells do not create when they run in order.

    ## What happened
    A kernel remembers whatever was ever run in it. A cell that was deleted, or was run once before one above it, has
    left a name behind: the notebook works for its author and fails in a fresh kernel with `NameError`. Or a cell that
    overwrites a variable with a value computed from it (`x = x / 255`) was run twice, and the cells after it get a
    value that nobody intended.

    ## How we know
    The name that is missing is defined only by a cell further down in the notebook, or by none. Or the kernel ran the same cell more than once,
    and the line that failed uses the variable which that cell changes each time.

    ## What to do
    Restart the kernel and run all cells in order, before saving. Move the cell that defines the name above the first that uses it. Give the result of a
    step a new name (`scaled = x / 255`), so that a cell can be run again.
    """
    error = evidence.errors.uncaught
    if error is None or not evidence.notebook.cells or evidence.run.ending.signal:
        return
    name = undefined_name(error)
    if name is not None and evidence.notebook.texts:
        yield from _missing(evidence, name, error.own)
        return
    where = error.own
    for cell, changed, line, count in run_twice(
        [cell for cell in evidence.notebook.cells if not cell.silent]
    ):
        if where is None or not has_word(where.code, changed):
            continue
        yield Finding(
            f"The cell that computes `{changed}` from itself ran {count} times, so `{changed}` was no longer what the failing line expects.",
            (
                Fact(TIMES_THE_CELL_WAS_RUN, count, "the kernel"),
                Fact("the line that failed", str(where), "the exception"),
                Fact("exception", f"{error.type}: {error.message.strip()[:200]}", "the kernel"),
            ),
            Confidence.LIKELY,
            (
                Remedy(
                    f"Assign the result to a new name instead of `{changed}`, so that the cell can be run again."
                ),
                Remedy("Restart the kernel and run all cells in order."),
            ),
            where=Place(cell.name, line, "<module>", cell.lines[line - 1].strip()),
        )
        return


def _missing(evidence: Evidence, name: str, where: Place | None) -> Iterator[Finding]:
    """A name that no cell before this one has defined."""
    ran = {cell.code for cell in evidence.notebook.cells}
    below = [
        number
        for number, code in enumerate(evidence.notebook.texts, 1)
        if code not in ran and name in defined_in(code)
    ]
    if any(name in defined_in(code) for code in ran) or like_another(name, evidence.notebook.texts):
        return
    told = (
        f"`{name}` is used before the cell that defines it (cell {below[0]}) has run"
        if below
        else f"No cell of the notebook defines `{name}`"
    )
    yield Finding(
        f"{told}: the notebook works only in a kernel that still has it from before.",
        (
            Fact("missing name", name, "the exception"),
            Fact(CELLS_THAT_DEFINE_IT_BUT_HAVE_NOT_RUN, len(below), "the notebook's file"),
            Fact(CELLS_THAT_RAN, len(ran), "the kernel"),
        ),
        Confidence.PROVEN if below else Confidence.LIKELY,
        (
            Remedy(
                f"Move the definition of `{name}` above the first cell that uses it."
                if below
                else f"Add the cell that defines `{name}`; it was deleted or never saved."
            ),
            Remedy("Before saving, restart the kernel and run all cells in order."),
        ),
        where=where,
    )
