"""Where a variable got its value: by reading the source of the function that holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from outlive.model import Place
from outlive.record.traces import SourceLines

Function = ast.FunctionDef | ast.AsyncFunctionDef


def origin_of(name: str, frame: Place, lines: SourceLines) -> tuple[Place | None, tuple[str, ...]]:
    """The line that gave a name its value before the frame's line ran, and the functions that this line calls.

    A function of the same file that is called there counts with what it calls itself: ``files = find()``.
    """
    tree = _parsed(lines.read(frame.file))
    if tree is None:
        return None, ()
    attribute = name.removeprefix("self.") if name.startswith("self.") else ""
    plain = name.partition("[")[0]
    scope = tree if attribute else _scope(tree, frame)
    found = [
        (line, value) for line, value in _assignments(scope, attribute or plain, bool(attribute))
    ]
    before = [pair for pair in found if attribute or pair[0] <= frame.line] or found
    if not before:
        return None, ()
    line, value = max(before, key=lambda pair: pair[0])
    calls = _calls(value)
    for definition in ast.walk(tree):
        if isinstance(definition, Function) and definition.name in calls:
            calls += _calls(definition)
    place = lines.place((frame.file, line, frame.function))
    return place, tuple(dict.fromkeys(calls))


@lru_cache(maxsize=16)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _scope(tree: ast.Module, frame: Place) -> ast.AST:
    """The function that a frame runs: of this name, around this line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Function)
        and node.name == frame.function
        and node.lineno <= frame.line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno, default=tree)


def _assignments(scope: ast.AST, name: str, attribute: bool) -> Iterator[tuple[int, ast.AST]]:
    """Lines that give the name a value, with the expression that it comes from."""
    for node in ast.walk(scope):
        pairs: list[tuple[ast.AST, ast.AST]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.For | ast.AsyncFor):
            pairs = [(node.target, node.iter)]
        elif isinstance(node, ast.With | ast.AsyncWith):
            pairs = [
                (item.optional_vars, item.context_expr) for item in node.items if item.optional_vars
            ]
        for target, value in pairs:
            if any(_is(inner, name, attribute) for inner in ast.walk(target)):
                yield node.lineno, value  # type: ignore[attr-defined]  # all of these have a line


def _is(node: ast.AST, name: str, attribute: bool) -> bool:
    if attribute:
        return isinstance(node, ast.Attribute) and node.attr == name
    return isinstance(node, ast.Name) and node.id == name


def _calls(node: ast.AST) -> list[str]:
    """The bare names of all functions that are called in a piece of source."""
    found = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            called = inner.func
            if isinstance(called, ast.Attribute):
                found.append(called.attr)
            elif isinstance(called, ast.Name):
                found.append(called.id)
    return found
