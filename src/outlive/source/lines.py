"""What is done on a line of one of the user's files, and what runs it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from outlive.source.syntax import (
    LOOPS,
    Assignment,
    block_spans,
    calls_in,
    first_name,
    last_name,
    modules_of,
    names_in,
    targets_of,
)
from outlive.source.tree import FUNCTIONS, Node, Tree

#: What ends the program, by its last name.
LEAVING_CALLS = frozenset({"exit", "_exit", "quit"})


def in_frames(tree: Tree, nodes: Iterable[Node]) -> Iterator[tuple[Node, str, bool]]:
    """Give nodes of a tree, each with the function whose frame runs it, and whether a loop of that function does."""
    for node in nodes:
        yield node, *_frame_of(tree, node)


def _frame_of(tree: Tree, node: ast.AST) -> tuple[str, bool]:
    in_loop = False
    for around in (node, *tree.ancestors(node)):
        if isinstance(around, FUNCTIONS):
            return getattr(around, "name", "<lambda>"), in_loop
        in_loop = in_loop or isinstance(around, (*LOOPS, ast.comprehension))
    return "<module>", in_loop


def is_in_loop(tree: Tree, line: int) -> bool | None:
    """Tell whether a loop of the same function runs a line; None when there is no such line."""
    statement = tree.statement_at(line)
    return _frame_of(tree, statement)[1] if statement is not None else None


def called_on(tree: Tree, line: int) -> list[str]:
    """Give the names that calls on a line begin with: ``connection`` for ``connection.execute(…)``."""
    statement = tree.statement_at(line)
    calls = calls_in(statement) if statement is not None else ()
    return list(dict.fromkeys(name for call in calls if (name := first_name(call))))


def names_on(tree: Tree, line: int) -> set[str]:
    """Give every plain name on a line."""
    statement = tree.statement_at(line)
    return {name.id for name in names_in(statement)} if statement is not None else set()


def line_of_def(tree: Tree, first: int) -> int:
    """Give the line of ``def``; a code object begins at its decorators."""
    for function in tree.functions:
        if min(part.lineno for part in (function, *function.decorator_list)) == first:
            return function.lineno
    return first


def constructed(tree: Tree, name: str) -> list[tuple[int, str]]:
    """Give the lines that make an object of a class of this name, each with its function."""
    return [
        (call.lineno, function)
        for call, function, _ in in_frames(tree, tree.every(ast.Call))
        if last_name(call.func) == name
    ]


def raised(tree: Tree, name: str) -> Iterator[tuple[int, list[ast.expr]]]:
    """Give the lines that raise an exception of this name, each with what it is made with."""
    for node in tree.every(ast.Raise):
        made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(made, ast.Name) and made.id == name:
            yield node.lineno, node.exc.args if isinstance(node.exc, ast.Call) else []


def handlers_around(tree: Tree, line: int) -> Iterator[ast.ExceptHandler]:
    """Give the handlers of what is raised on a line, in the order in which Python asks them."""
    tries = [node for node in tree.every(ast.Try) if block_spans(node.body, line)]
    for node in reversed(tries):
        yield from node.handlers


def caught_by(handler: ast.ExceptHandler) -> list[str]:
    """Give the last names of what a handler catches: ``OSError``, ``errors.OpError``, a tuple of such."""
    if handler.type is None:
        return ["BaseException"]
    return [name for node in ast.walk(handler.type) if (name := last_name(node))]


def leaves(statement: ast.stmt) -> bool:
    """Tell whether nothing of the function, or of the program, comes after a statement."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call):
        return last_name(call.func) in LEAVING_CALLS
    return isinstance(statement, ast.Return | ast.Raise)


def imported_modules(tree: Tree) -> list[str]:
    """Give the modules that a file may import, each once."""
    return list(dict.fromkeys(name for statement in tree.imports for name in modules_of(statement)))


def assigned(
    scope: ast.AST, name: str, *, attribute: bool = False
) -> Iterator[tuple[int, ast.expr]]:
    """Give the lines of a scope that bind a name (or an attribute of this name), each with the expression that the value comes from."""
    for node in ast.walk(scope):
        for target, value in _bound_by(node):
            named = (part for part in ast.walk(target) if last_name(part) == name)
            if any(isinstance(part, ast.Attribute) == attribute for part in named):
                yield getattr(node, "lineno", 0), value


def _bound_by(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Pair what a node binds with what it is bound to."""
    if isinstance(node, Assignment) and node.value is not None:
        return [(target, node.value) for target in targets_of(node)]
    if isinstance(node, ast.For | ast.AsyncFor):
        return [(node.target, node.iter)]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [
            (item.optional_vars, item.context_expr) for item in node.items if item.optional_vars
        ]
    return []
