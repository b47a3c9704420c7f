"""Rewrite what can be rewritten: edits of findings applied to a text, and the difference shown."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence

from outlive.model.findings import Edit, Finding, Remedy
from outlive.source.cells import read_cells, source_of, write_cells
from outlive.source.edits import apply_edits
from outlive.source.syntax import parse

#: One mend may make another possible; more rounds than this are a circle.
MAX_ROUNDS = 10


def mended(
    path: str, text: str, findings_in: Callable[[str], Sequence[Finding]], *, safe_only: bool
) -> tuple[str, int]:
    """The text with everything mended that may be, and how many mends that were. What would not parse is not done."""
    count = 0
    for _ in range(MAX_ROUNDS):
        groups = [
            remedy.edits
            for finding in findings_in(text)
            for remedy in [_chosen(finding, safe_only=safe_only)]
            if remedy is not None
        ]
        chosen = list(_without_overlap(groups))
        if not chosen:
            break
        after = applied(path, text, [edit for edits in chosen for edit in edits])
        if after is None or after == text:
            break
        text, count = after, count + len(chosen)
    return text, count


def difference(path: str, before: str, after: str) -> str:
    """A unified diff, as `patch` reads it; of a notebook, of its cells."""
    if path.endswith(".ipynb"):
        before, after = read_cells(before).text, read_cells(after).text
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _chosen(finding: Finding, *, safe_only: bool) -> Remedy | None:
    fitting = [it for it in finding.remedies if it.edits and (it.safe or not safe_only)]
    return fitting[0] if fitting else None


def _without_overlap(groups: Iterable[tuple[Edit, ...]]) -> list[tuple[Edit, ...]]:
    """Mends that do not touch the same text, the first of those that do."""
    taken: list[Edit] = []
    chosen: list[tuple[Edit, ...]] = []
    for edits in groups:
        if not any(_meet(edit, other) for edit in edits for other in taken):
            taken += edits
            chosen.append(edits)
    return chosen


def _meet(one: Edit, other: Edit) -> bool:
    ends = (one.end_line, one.end_column) < (other.line, other.column)
    begins = (other.end_line, other.end_column) < (one.line, one.column)
    return not (ends or begins)


def applied(path: str, text: str, edits: Sequence[Edit]) -> str | None:
    """The text after the edits, or nothing when it would not be Python any more."""
    try:
        if not path.endswith(".ipynb"):
            after = apply_edits(text, edits)
            parse(after)
            return after
        return _applied_to_cells(text, edits)
    except (SyntaxError, ValueError):
        return None


def _applied_to_cells(notebook: str, edits: Sequence[Edit]) -> str:
    import json

    places = read_cells(notebook).places
    cells = json.loads(notebook)["cells"]
    by_cell: dict[int, list[Edit]] = {}
    for edit in edits:
        begin, end = places[edit.line - 1], places[edit.end_line - 1]
        in_cell = Edit(
            begin.line,
            edit.column + begin.indent,
            end.line,
            edit.end_column + end.indent,
            edit.text,
        )
        by_cell.setdefault(begin.cell, []).append(in_cell)
    changed = {
        number: apply_edits(source_of(cells[number - 1]), mine) for number, mine in by_cell.items()
    }
    after = write_cells(notebook, changed)
    if read_cells(after).unread != read_cells(notebook).unread:
        raise ValueError("a cell would no longer be valid Python")
    return after
