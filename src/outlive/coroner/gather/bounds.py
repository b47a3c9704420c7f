"""How many elements a container may hold, as the source says it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from outlive.source.syntax import last_name, targets_of
from outlive.source.tree import Tree

#: Arguments that bound a container, and which of the plain ones it is.
BOUNDED_BY = {
    "deque": ("maxlen", 1),
    "Queue": ("maxsize", 0),
    "LifoQueue": ("maxsize", 0),
    "PriorityQueue": ("maxsize", 0),
    "JoinableQueue": ("maxsize", 0),
    "lru_cache": ("maxsize", 0),
}
#: Ways to take something out of a container.
TAKING_OUT = frozenset({"pop", "popleft", "popitem", "remove", "clear", "discard"})

Names = Callable[[ast.AST], bool]  #: whether an expression names the container


def bound_in(tree: Tree, names: Names, length: int, cache_line: int = 0) -> str:
    """The bound of a container, by the call that made it or by the ``if`` that takes something out when it is full.

    A number that it has passed is none. ``cache_line``: where the decorator of an ``lru_cache`` stands.
    """
    for said in (*_made_with(tree, names, cache_line), *_full_at(tree, names)):
        number = said.value if isinstance(said, ast.Constant) else None
        if isinstance(said, ast.Constant) and not (isinstance(number, int) and number > length):
            continue
        return ast.unparse(said)
    return ""


def _made_with(tree: Tree, names: Names, cache_line: int) -> Iterator[ast.expr]:
    calls: list[ast.AST | None] = []
    if cache_line:
        calls += [call for call in tree.every(ast.Call) if getattr(call, "lineno", 0) == cache_line]
    else:
        calls += [
            node.value
            for node in tree.assignments
            if isinstance(node, ast.Assign | ast.AnnAssign) and any(map(names, targets_of(node)))
        ]
    for call in calls:
        if not isinstance(call, ast.Call) or last_name(call.func) not in BOUNDED_BY:
            continue
        keyword, place = BOUNDED_BY[last_name(call.func)]
        yield from (one.value for one in call.keywords if one.arg == keyword)
        yield from call.args[place : place + 1]


def _full_at(tree: Tree, names: Names) -> Iterator[ast.expr]:
    for branch in tree.every(ast.If, ast.While):
        if not isinstance(branch, ast.If | ast.While):
            continue
        for side in _compared_with_its_length(branch.test, names):
            if any(_takes_out(node, names) for part in branch.body for node in ast.walk(part)):
                yield side


def _compared_with_its_length(test: ast.expr, names: Names) -> Iterator[ast.expr]:
    for node in ast.walk(test):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        left, right, way = node.left, node.comparators[0], node.ops[0]
        if isinstance(way, ast.Gt | ast.GtE | ast.Eq) and _is_length(left, names):
            yield right
        elif isinstance(way, ast.Lt | ast.LtE | ast.Eq) and _is_length(right, names):
            yield left


def _is_length(node: ast.expr, names: Names) -> bool:
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) == "len"
        and len(node.args) == 1
        and names(node.args[0])
    )


def _takes_out(node: ast.AST, names: Names) -> bool:
    """Whether a node takes an element out, or puts another one in its place."""
    if isinstance(node, ast.Call):
        called = node.func
        return (
            isinstance(called, ast.Attribute) and called.attr in TAKING_OUT and names(called.value)
        )
    targets = node.targets if isinstance(node, ast.Delete | ast.Assign) else ()
    return any(isinstance(one, ast.Subscript) and names(one.value) for one in targets)
