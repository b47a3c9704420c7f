"""The names that a place of the program sees."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from outlive.source.dry_run.things import UNKNOWN, Api, Const, joined
from outlive.source.names import UNIMPORTED

BUILTINS = frozenset(dir(builtins))


class Frame:
    """The names of a module or of one call of a function, over those of what is around it."""

    def __init__(self, outer: Frame | None = None, names: dict[str, Any] | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Any] = names if names is not None else {}
        self.module: Frame = outer.module if outer is not None else self
        self.returned: list[Any] = []
        self.unsure: frozenset[str] = (
            frozenset()
        )  #: names of the module that are bound more than once
        self.elsewhere: frozenset[str] = (
            frozenset()
        )  #: names that are bound from within another function

    def look_up(self, name: str) -> Any:
        """What a name stands for here."""
        if name in self.module.elsewhere:
            return UNKNOWN
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                return UNKNOWN if name in frame.unsure else frame.names[name]
            frame = frame.outer
        if name == "__name__":
            return Const("__main__")
        if name in UNIMPORTED:
            return Api(UNIMPORTED[name])
        return Api(f"builtins.{name}") if name in BUILTINS else UNKNOWN

    def bind(self, name: str, thing: Any) -> None:
        """Let a name stand for something."""
        self.names[name] = thing

    def join(self, other: dict[str, Any]) -> None:
        """Keep what is the same whichever of two ways was gone."""
        for name in {*self.names, *other}:
            here, there = self.names.get(name, UNKNOWN), other.get(name, UNKNOWN)
            self.names[name] = joined(here, there)


def bound_in(nodes: list[ast.stmt]) -> set[str]:
    """The names that some statements bind, however deep, but not within functions."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        if isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        if isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        waiting += ast.iter_child_nodes(node)
    return found


def changed_in(nodes: list[ast.stmt]) -> set[str]:
    """The attributes of names that some statements bind: `self.x`."""
    return {
        inner.value.id
        for node in nodes
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute | ast.Subscript)
        and not isinstance(inner.ctx, ast.Load)
        and isinstance(inner.value, ast.Name)
    }
