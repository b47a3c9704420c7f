"""Whether the handler that caught an exception left its function at once: looked for in the source code.

A program that logs an error and goes on may end for another reason. Only of one whose handler ends with a ``return`` (or raises, or calls
``sys.exit``) is it known that nothing came after.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.observed import Thrown
from outlive.record.own_files import parsed
from outlive.record.readings import Readings

LEAVING_CALLS = frozenset({"exit", "_exit", "quit"})


def handler_leaves(readings: Readings, error: Thrown) -> bool:
    """Whether the handler around the outermost line of a traceback, which is where it was caught, ends by leaving."""
    for place in error.frames[-1:]:
        tries = [
            node
            for node in ast.walk(parsed(readings.lines.read(place.file)))
            if isinstance(node, ast.Try) and _within(node.body, place.line)
        ]
        innermost_first = sorted(tries, key=lambda node: -node.lineno)
        for node in innermost_first:
            for handler in node.handlers:
                if _catches(handler, error):
                    return _leaves(handler.body[-1])
    return False


def _within(body: list[ast.stmt], line: int) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or body[-1].lineno)


def _catches(handler: ast.ExceptHandler, error: Thrown) -> bool:
    names = list(_names(handler.type)) if handler.type is not None else ["BaseException"]
    return error.is_a(*names) or "BaseException" in names


def _names(node: ast.expr) -> Iterator[str]:
    """``OSError``, ``errors.OpError``, a tuple of such."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute):
            yield inner.attr
        elif isinstance(inner, ast.Name):
            yield inner.id


def _leaves(last: ast.stmt) -> bool:
    if isinstance(last, ast.Return | ast.Raise):
        return True
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in LEAVING_CALLS
