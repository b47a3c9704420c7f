"""Which call on a line is meant, and what it is given: found in the tree, never in the text. Pure."""

from __future__ import annotations

import ast

from outlive.source.syntax import last_name, spans
from outlive.source.tree import Tree


def calls_at(tree: Tree, line: int, name: str = "") -> list[ast.Call]:
    """Give the calls whose name stands on the line, as the interpreter counts them; else those that span it."""
    calls = [call for call in tree.every(ast.Call) if not name or last_name(call.func) == name]
    named = [call for call in calls if call.func.end_lineno == line]
    return named or [call for call in calls if spans(call, line)]


def is_open(call: ast.Call) -> bool:
    """Tell whether it takes `*words` or `**words`: what those hold is not known here."""
    return any(isinstance(word, ast.Starred) for word in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )


def given(call: ast.Call, name: str, place: int | None) -> ast.expr | None:
    """Give an argument by its name, else by its place."""
    if is_open(call):
        return None
    by_name = next((word.value for word in call.keywords if word.arg == name), None)
    if by_name is None and place is not None and 0 <= place < len(call.args):
        return call.args[place]
    return by_name
