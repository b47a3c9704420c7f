"""The user's text made into a tree, the only place that does so (a test holds that), and questions about a single node. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr
Import = ast.Import | ast.ImportFrom

NAMED_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


def parse(text: str) -> ast.Module:
    """Parse a module, which may wait at its top as a notebook may. Warnings about the text are its author's affair.

    It raises ``SyntaxError`` and ``ValueError``, and of nested text ``RecursionError`` and ``MemoryError``.
    """
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        module = compile(text, "<source>", "exec", flags, dont_inherit=True)
    assert isinstance(module, ast.Module)
    return module


def spans(node: ast.AST, line: int) -> bool:
    """Tell whether a line belongs to a node."""
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and last is not None and first <= line <= last


def block_spans(block: Sequence[ast.stmt], line: int) -> bool:
    """Tell whether a line lies between the first and the last of some statements."""
    return block[0].lineno <= line <= (block[-1].end_lineno or block[-1].lineno)


def last_name(node: ast.AST) -> str:
    """Give ``sleep`` for ``time.sleep``: what is named, without what it belongs to."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def first_name(node: ast.AST) -> str:
    """Give ``jobs`` for ``jobs[0].queue.get()``: the name that an expression begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def names_in(
    node: ast.AST, context: type[ast.expr_context] = ast.expr_context
) -> Iterator[ast.Name]:
    """Give every plain name in a piece of source: all, or those that are read (`ast.Load`) or bound (`ast.Store`)."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, context):
            yield inner


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Give every call in a piece of source."""
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))


#: Nobody binds more names in one statement. A forged source did (12,000), and every container asked about each of them.
MOST_TARGETS = 100


def targets_of(node: Assignment) -> Sequence[ast.expr]:
    """Give what an assignment binds."""
    return node.targets[:MOST_TARGETS] if isinstance(node, ast.Assign) else [node.target]


def argument_of(call: ast.Call, place: int | None, *words: str) -> ast.expr | None:
    """Give an argument of a call by one of its names or its place; with a ``*`` among them no place is known."""
    for keyword in call.keywords:
        if keyword.arg in words:
            return keyword.value
    if place is None or any(isinstance(word, ast.Starred) for word in call.args):
        return None
    return call.args[place] if 0 <= place < len(call.args) else None


def imported_by(statement: Import) -> Iterator[tuple[str, str]]:
    """Give the names that an import binds, each with the dotted name of what it stands for."""
    for item in statement.names:
        if isinstance(statement, ast.ImportFrom):
            origin = "." * statement.level + (statement.module or "")
            yield item.asname or item.name, f"{origin}.{item.name}"
        else:
            first = item.name.partition(".")[0]
            yield item.asname or first, item.name if item.asname else first


def modules_of(statement: Import) -> Iterator[str]:
    """Give the modules that an import may load: of ``from a import b`` it is ``a``, and perhaps ``a.b``."""
    if isinstance(statement, ast.Import):
        yield from (item.name for item in statement.names)
        return
    base = statement.module or ""
    names = [base, *(f"{base}.{item.name}".strip(".") for item in statement.names)]
    yield from (name for name in names if name)


def nodes_of(scope: ast.AST) -> Iterator[ast.AST]:
    """Give the nodes of one function or module as they are written, without those of the functions in it."""
    waiting = [*ast.iter_child_nodes(scope)][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*NAMED_FUNCTIONS, ast.Lambda)):
            waiting += [*ast.iter_child_nodes(node)][::-1]
