"""Names in the cells of a notebook: which one defines them, which one changes them by running again. Pure."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Iterator, Sequence

from outlive.model.events import Cell, Thrown
from outlive.source.syntax import NAMED_FUNCTIONS, imported_by, names_in
from outlive.source.tree import tree_of

#: What Python and IPython say of a name that is not there.
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)

#: So alike that one is the other, mistyped.
MISTYPED = 0.75


def _statements(code: str) -> Sequence[ast.stmt]:
    """The cell as Python; magics and shell commands stand for nothing."""
    return tree_of(MAGIC.sub(r"\1pass", code)).module.body


def defined_in(code: str) -> frozenset[str]:
    """The names that a cell gives to what comes after it."""
    return frozenset(_bound(_statements(code)))


def _bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, (*NAMED_FUNCTIONS, ast.ClassDef)):
            yield statement.name
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (name for name, _ in imported_by(statement))
        yield from (name.id for name in names_in(statement, ast.Store))


def changed_by_running_again(code: str) -> Iterator[tuple[str, int]]:
    """Names that a cell makes out of themselves (``x = x / 255``, ``x /= 255``), each with its line."""
    for statement in _statements(code):
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.lineno
        elif isinstance(statement, ast.Assign):
            used = {name.id for name in names_in(statement.value)}
            for target in statement.targets:
                if isinstance(target, ast.Name) and target.id in used:
                    yield target.id, statement.lineno


def undefined_name(error: Thrown | None) -> str | None:
    """The name that an exception misses."""
    if error is None or not error.is_a("NameError"):
        return None
    found = UNDEFINED.search(error.message)
    return found[1] if found else None


def like_another(name: str, cells: Sequence[str]) -> bool:
    """Whether it looks like a name that is there, mistyped."""
    known = {other for code in cells for other in defined_in(code)} | set(dir(builtins))
    return bool(difflib.get_close_matches(name, known - {name}, 1, MISTYPED))


def run_twice(cells: Sequence[Cell]) -> Iterator[tuple[Cell, str, int, int]]:
    """Cells that were run more than once and make a name out of itself: the last such run, the name, its line, how often."""
    counts: dict[str, int] = {}
    for cell in cells:
        counts[cell.code] = counts.get(cell.code, 0) + 1
    last = {cell.code: cell for cell in cells}
    for code, count in counts.items():
        if count > 1:
            for name, line in changed_by_running_again(code):
                yield last[code], name, line, count
