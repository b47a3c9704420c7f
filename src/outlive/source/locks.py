"""Which lock does a line wait for, and which ones does the code around it hold? Read from the source. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.quick_dataclass import dataclass
from outlive.source.syntax import last_name, nodes_of, spans
from outlive.source.tree import Tree


@dataclass(frozen=True, slots=True)
class Taken:
    """A lock as the code calls it, and the line that takes it."""

    name: str
    line: int
    timed: bool = False  #: with a timeout, or without waiting


class LockLines:
    """The lines of one file that take locks, and those that run under them."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def waits_at(self, line: int) -> list[Taken]:
        """The locks that the statement on this line takes, in the order in which it does."""
        found: list[Taken] = []
        for node in self._within(line):
            if isinstance(node, ast.With | ast.AsyncWith) and _heads(node, line):
                found += [Taken(_words(item.context_expr), line) for item in node.items]
            elif isinstance(node, ast.Call) and spans(node, line):
                taken = _acquired(node)
                found += [taken] if taken else []
        return found

    def receiver(self, line: int, method: str) -> str:
        """What a method is called on, on this line: ``jobs`` in ``jobs.get()``."""
        for node in self._within(line):
            if isinstance(node, ast.Call) and spans(node, line):
                call = node.func
                if isinstance(call, ast.Attribute) and call.attr == method:
                    return _words(call.value)
        return ""

    def calls(self, line: int) -> set[str]:
        """The bare names of what is called on this line."""
        found = set()
        for node in self._within(line):
            if isinstance(node, ast.Call) and spans(node, line):
                found.add(last_name(node.func))
        return found

    def held_at(self, line: int, inside: bool = False) -> list[Taken]:
        """The locks that are held while this line runs: by ``with`` around it, or taken before it and not yet given back.

        ``inside``: the line has called something. If it is ``with lock: work()``, the lock is then taken.
        """
        found = [
            Taken(_words(item.context_expr), node.lineno)
            for node in self._within(line)
            if isinstance(node, ast.With | ast.AsyncWith) and _runs_in_body(node, line, inside)
            for item in node.items
        ]
        open_: dict[str, Taken] = {}
        calls = [node for node in self._within(line) if isinstance(node, ast.Call)]
        for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            if (node.end_lineno or node.lineno) >= line:
                break
            taken = _acquired(node)
            if taken is not None:
                open_[taken.name] = taken
            elif isinstance(node.func, ast.Attribute) and node.func.attr == "release":
                open_.pop(_words(node.func.value), None)
        return found + list(open_.values())

    def _within(self, line: int) -> Iterator[ast.AST]:
        """Give the nodes of the innermost function around a line, without those of the functions in it."""
        return nodes_of(self._tree.function_at(line) or self._tree.module)


def _heads(node: ast.With | ast.AsyncWith, line: int) -> bool:
    """Whether a line is in the head of a ``with``: where its locks are taken."""
    return node.lineno <= line < node.body[0].lineno or node.lineno == line


def _runs_in_body(node: ast.With | ast.AsyncWith, line: int, inside: bool) -> bool:
    in_body = node.body[0].lineno <= line <= (node.end_lineno or 0)
    return in_body and (node.lineno != line or inside)


def _acquired(node: ast.Call) -> Taken | None:
    call = node.func
    if not isinstance(call, ast.Attribute) or call.attr not in ("acquire", "acquire_lock"):
        return None
    given = {word.arg for word in node.keywords}
    patient = not node.args or (len(node.args) == 1 and _is_true(node.args[0]))
    blocking = all(_is_true(word.value) for word in node.keywords if word.arg == "blocking")
    return Taken(_words(call.value), node.lineno, not patient or "timeout" in given or not blocking)


def _is_true(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in (True, 1)


def _words(node: ast.AST) -> str:
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return ""
