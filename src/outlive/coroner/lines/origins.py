"""Where a variable got its value: by reading the source of the function that holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.coroner.readings.source_lines import SourceLines
from outlive.model.findings import Place
from outlive.source.lines import assigned
from outlive.source.syntax import calls_in, last_name, spans
from outlive.source.tree import Tree


def origin_of(name: str, frame: Place, lines: SourceLines) -> tuple[Place | None, tuple[str, ...]]:
    """The line that gave a name its value before the frame's line ran, and the functions that this line calls.

    A function of the same file that is called there counts with what it calls itself: ``files = find()``.
    """
    tree = lines.tree(frame.file)
    attribute = name.removeprefix("self.") if name.startswith("self.") else ""
    scope = tree.module if attribute else _scope(tree, frame)
    plain = name.partition("[")[0]
    found = list(assigned(scope, attribute or plain, attribute=bool(attribute)))
    before = [pair for pair in found if attribute or pair[0] <= frame.line] or found
    if not before:
        return None, ()
    line, value = max(before, key=lambda pair: pair[0])
    calls = dict.fromkeys(_called(value))
    for definition in tree.functions:
        if definition.name in calls:
            calls |= dict.fromkeys(_called(definition))
    return lines.place((frame.file, line, frame.function)), tuple(calls)


def _scope(tree: Tree, frame: Place) -> ast.AST:
    """The function that a frame runs: of this name, around this line."""
    named = [it for it in tree.functions if it.name == frame.function and spans(it, frame.line)]
    return max(named, key=lambda function: function.lineno, default=tree.module)


def _called(node: ast.AST) -> Iterator[str]:
    """The bare names of all functions that are called in a piece of source."""
    return (name for call in calls_in(node) if (name := last_name(call.func)))
