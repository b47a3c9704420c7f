"""Which lines make something, and which only wait beside them: a sampler sees the waits. Pure."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence

from outlive.source.lines import is_in_loop
from outlive.source.syntax import LOOPS, NAMED_FUNCTIONS, last_name, spans
from outlive.source.tree import Tree

#: A statement that does nothing but call one of these makes nothing.
WAITING = frozenset(
    {"sleep", "wait", "join", "acquire", "select", "poll", "input", "recv", "accept"}
)
SAYING = frozenset({"print", "log", "info", "debug", "warning", "error", "flush"})


def _calls_only(statement: ast.AST, names: frozenset[str]) -> bool:
    """Tell whether a statement is a bare call of one of these."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and last_name(statement.value.func) in names
    )


def _makes_nothing(statement: ast.AST) -> bool:
    """Tell whether a statement only waits, or says something."""
    return _calls_only(statement, WAITING | SAYING) or isinstance(
        statement, ast.Pass | ast.Break | ast.Continue | ast.Import | ast.ImportFrom
    )


@functools.lru_cache(maxsize=2048)
def only_waits(tree: Tree, line: int) -> bool:
    """Tell whether nothing is done on a line but to wait."""
    statement = tree.statement_at(line)
    return statement is not None and _calls_only(statement, WAITING)


def _blocks(tree: Tree) -> Iterator[list[ast.stmt]]:
    """Give every list of statements, outer ones first."""
    for node in ast.walk(tree.module):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _blocks_around(tree: Tree, line: int) -> list[list[ast.stmt]]:
    """Give the lists of statements that a line belongs to, the innermost first."""
    around = [block for block in _blocks(tree) if any(spans(part, line) for part in block)]
    return sorted(around, key=lambda block: (block[-1].end_lineno or 0) - block[0].lineno)


def _simple_statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Give the statements of a block and of the blocks in it, but not those of functions and classes that are defined there."""
    for statement in block:
        if isinstance(statement, (*NAMED_FUNCTIONS, ast.ClassDef)):
            continue
        inner = [
            part
            for field in ("body", "orelse", "finalbody")
            for part in getattr(statement, field, [])
        ]
        inner += [part for handler in getattr(statement, "handlers", []) for part in handler.body]
        if inner:
            yield from _simple_statements(inner)
        else:
            yield statement


def makers_around(tree: Tree, line: int) -> list[int]:
    """Give, for a line that only waits, the lines of the same block that make something, the nearest before it first.

    A sampler gets its turn when the program waits, so it sees the wait; what was made, was made between two waits.
    """
    waiting = tree.statement_at(line)
    if waiting is None or not _makes_nothing(waiting):
        return []
    for block in _blocks_around(tree, line):
        made = [part for part in _simple_statements(block) if _makes_something(part)]
        before = [part.lineno for part in made if part.lineno < line]
        after = [part.lineno for part in made if part.lineno > line]
        if before or after:
            return [*reversed(before), *reversed(after)]
    return []


def line_behind(tree: Tree, line: int) -> int | None:
    """Give the next line of the same function that makes something: behind the innermost loop, if one runs the line."""
    inside = is_in_loop(tree, line)
    for block in _blocks_around(tree, line):
        at = next(index for index, part in enumerate(block) if spans(part, line))
        if isinstance(block[at], (*NAMED_FUNCTIONS, ast.ClassDef)):
            return None
        inside = inside and not isinstance(block[at], LOOPS)
        made = [part for part in _simple_statements(block[at + 1 :]) if _makes_something(part)]
        if made and not inside:
            return made[0].lineno
    return None


def _makes_something(statement: ast.stmt) -> bool:
    """Tell whether a statement calls, computes or builds anything."""
    return not _makes_nothing(statement) and any(
        isinstance(
            node, ast.Call | ast.BinOp | ast.ListComp | ast.DictComp | ast.SetComp | ast.AugAssign
        )
        for node in ast.walk(statement)
    )
