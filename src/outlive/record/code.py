"""Questions about the text of one of the user's files: what is done on a line, and what is done around it. Pure."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence

Line = tuple[int, str]  #: number, function

#: A statement that does nothing but call one of these makes nothing.
WAITING = frozenset(
    {"sleep", "wait", "join", "acquire", "select", "poll", "input", "recv", "accept"}
)
SAYING = frozenset({"print", "log", "info", "debug", "warning", "error", "flush"})

LOOPS = (ast.For, ast.While, ast.AsyncFor)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@functools.lru_cache(maxsize=64)
def parsed(text: str) -> ast.Module | None:
    """The tree of a file; None when it is no Python (any more)."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def last_name(node: ast.AST) -> str:
    """``sleep`` for ``time.sleep``: what is called, without what it is called on."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def calls_only(statement: ast.AST, names: frozenset[str]) -> bool:
    """Whether a statement is a bare call of one of these."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and last_name(statement.value.func) in names
    )


def makes_nothing(statement: ast.AST) -> bool:
    """It waits, or says something."""
    return calls_only(statement, WAITING | SAYING) or isinstance(
        statement, ast.Pass | ast.Break | ast.Continue | ast.Import | ast.ImportFrom
    )


@functools.lru_cache(maxsize=2048)
def only_waits(text: str, line: int) -> bool:
    """Whether nothing is done on a line but to wait."""
    statement = statement_at(text, line)
    return statement is not None and calls_only(statement, WAITING)


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements, outer ones first."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def simple_statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks in it, but not those of functions and classes that are defined there."""
    for statement in block:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            continue
        inner = [
            part
            for field in ("body", "orelse", "finalbody")
            for part in getattr(statement, field, [])
        ]
        inner += [part for handler in getattr(statement, "handlers", []) for part in handler.body]
        if inner:
            yield from simple_statements(inner)
        else:
            yield statement


def spans(node: ast.AST, line: int) -> bool:
    """Whether a line belongs to a node."""
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and last is not None and first <= line <= last


def statement_at(text: str, line: int) -> ast.stmt | None:
    """The innermost statement that a line belongs to."""
    tree = parsed(text)
    found = (
        [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and spans(node, line)]
        if tree
        else []
    )
    return min(found, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)


def makers_around(text: str, line: int) -> list[int]:
    """For a line that only waits: the lines of the same block that make something, the nearest before it first.

    A sampler gets its turn when the program waits, so it sees the wait; what was made, was made between two waits.
    """
    tree = parsed(text)
    waiting = statement_at(text, line)
    if tree is None or waiting is None or not makes_nothing(waiting):
        return []
    around = [block for block in blocks(tree) if any(spans(part, line) for part in block)]
    for block in sorted(around, key=lambda part: (part[-1].end_lineno or 0) - part[0].lineno):
        made = [part for part in simple_statements(block) if makes_something(part)]
        before = [part.lineno for part in made if part.lineno < line]
        after = [part.lineno for part in made if part.lineno > line]
        if before or after:
            return [*reversed(before), *reversed(after)]
    return []


def line_behind(text: str, line: int) -> int | None:
    """The next line of the same function that makes something: behind the innermost loop, if one runs the line."""
    tree = parsed(text)
    if tree is None:
        return None
    inside = is_in_loop(text, line)
    around = [block for block in blocks(tree) if any(spans(part, line) for part in block)]
    for block in sorted(around, key=lambda part: (part[-1].end_lineno or 0) - part[0].lineno):
        at = next(index for index, part in enumerate(block) if spans(part, line))
        if isinstance(block[at], (*FUNCTIONS, ast.ClassDef)):
            return None
        inside = inside and not isinstance(block[at], LOOPS)
        made = [part for part in simple_statements(block[at + 1 :]) if makes_something(part)]
        if made and not inside:
            return made[0].lineno
    return None


def makes_something(statement: ast.stmt) -> bool:
    """Whether a statement calls, computes or builds anything."""
    return not makes_nothing(statement) and any(
        isinstance(
            node, ast.Call | ast.BinOp | ast.ListComp | ast.DictComp | ast.SetComp | ast.AugAssign
        )
        for node in ast.walk(statement)
    )


def called_on(text: str, line: int) -> list[str]:
    """The names that calls and operations on a line begin with: ``connection`` for ``connection.execute(…)``."""
    statement = statement_at(text, line)
    found: list[str] = []
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call):
            root: ast.AST = node.func
            while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
                root = root.func if isinstance(root, ast.Call) else root.value
            if isinstance(root, ast.Name) and root.id not in found:
                found.append(root.id)
    return found


def names_on(text: str, line: int) -> set[str]:
    """Every plain name on a line."""
    statement = statement_at(text, line)
    return (
        {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if statement
        else set()
    )


def with_functions(
    tree: ast.AST, function: str = "<module>"
) -> Iterator[tuple[ast.AST, str, bool]]:
    """Every node, the function it is in, and whether a loop runs it."""

    def walk(node: ast.AST, function: str, in_loop: bool) -> Iterator[tuple[ast.AST, str, bool]]:
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            function, in_loop = getattr(node, "name", "<lambda>"), False
        if isinstance(node, (*LOOPS, ast.comprehension)):
            in_loop = True
        yield node, function, in_loop
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function, in_loop)

    return walk(tree, function, False)


def function_at(text: str, line: int) -> str:
    """The innermost function that a line belongs to."""
    found = [
        node
        for node in ast.walk(parsed(text) or ast.Module([], []))
        if isinstance(node, FUNCTIONS) and spans(node, line)
    ]
    return max(found, key=lambda node: node.lineno).name if found else "<module>"


def is_in_loop(text: str, line: int) -> bool | None:
    """Whether a loop of the same function runs a line; None when there is no such line to be read."""
    statement = statement_at(text, line)
    if statement is None:
        return None
    tree = parsed(text) or ast.Module([], [])
    return any(node is statement and in_loop for node, _, in_loop in with_functions(tree))


def line_of_def(text: str, first: int) -> int:
    """The line of ``def``; a code object begins at its decorators."""
    for node in ast.walk(parsed(text) or ast.Module([], [])):
        if isinstance(node, FUNCTIONS):
            begins = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if begins == first:
                return node.lineno
    return first


def constructed(text: str, name: str) -> list[Line]:
    """The lines that make an object of a class of this name."""
    return [
        (node.lineno, function)
        for node, function, _ in with_functions(parsed(text) or ast.Module([], []))
        if isinstance(node, ast.Call) and last_name(node.func) == name
    ]
