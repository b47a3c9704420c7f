"""Names in the cells of a notebook: which one defines them, which one changes them by running again. Pure."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Iterator, Sequence

from outlive.observed import Cell, Thrown

#: What Python and IPython say of a name that is not there.
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)

#: So alike that one is the other, mistyped.
MISTYPED = 0.75


def parsed(code: str) -> ast.Module | None:
    """The cell as Python; magics and shell commands stand for nothing."""
    try:
        return ast.parse(MAGIC.sub(r"\1pass", code))
    except (SyntaxError, ValueError, RecursionError):
        return None


def defined_in(code: str) -> frozenset[str]:
    """The names that a cell gives to what comes after it."""
    tree = parsed(code)
    return frozenset(_bound(tree.body)) if tree is not None else frozenset()


def _bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def changed_by_running_again(code: str) -> Iterator[tuple[str, int]]:
    """Names that a cell makes out of themselves (``x = x / 255``, ``x /= 255``), each with its line."""
    tree = parsed(code)
    for statement in tree.body if tree is not None else ():
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.lineno
        elif isinstance(statement, ast.Assign):
            used = {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
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
