"""The program's own functions and classes: what a call of one gives, for these arguments."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from outlive.source.dry_run.expressions import Expressions
from outlive.source.dry_run.frames import Frame
from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Api,
    Class,
    Function,
    Group,
    Instance,
    joined,
    lose,
)
from outlive.source.syntax import names_in

#: Calls of functions within each other.
MOST_DEEP = 12

#: How a block ends: it goes on, leaves for good, or perhaps leaves.
ON, LEFT, PERHAPS = "on", "left", "perhaps"


class OwnFunctions(Expressions):
    """Calls of functions that the program defines; what their statements do comes from who follows them."""

    def __init__(self) -> None:
        self._active: list[ast.AST] = []
        self.called: set[ast.AST] = set()

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> str:
        """Follow statements one after the other."""
        raise NotImplementedError

    def invoke(self, function: Function, args: Sequence[Any], words: dict[str, Any]) -> Any:
        """What a function of the program gives for these arguments."""
        node = function.node
        self.called.add(node)
        if not function.plain or node in self._active or len(self._active) >= MOST_DEEP:
            for thing in (*args, *words.values()):
                lose(thing)
            return UNKNOWN
        if function.owner is not None:
            args = [function.owner, *args]
        frame = Frame(function.frame)
        if not self._hand_over(node, args, words, function.frame, frame):
            return UNKNOWN
        self._active.append(node)
        try:
            if function.traced:
                with self.run.tracing():
                    return self._result(node, frame)
            return self._result(node, frame)
        finally:
            self._active.pop()

    def _result(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame
    ) -> Any:
        if isinstance(node, ast.Lambda):
            return self.of(node.body, frame)
        if isinstance(node, ast.AsyncFunctionDef) or _yields(node):
            return UNKNOWN
        end = self.block(node.body, frame)
        results = frame.returned if end == LEFT else [*frame.returned, NONE]
        if not results:
            return UNKNOWN  # it always raises
        result = results[0]
        for other in results[1:]:
            result = joined(result, other)
        return result

    def _hand_over(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        args: Sequence[Any],
        words: dict[str, Any],
        around: Frame,
        frame: Frame,
    ) -> bool:
        told = node.args
        places = [*told.posonlyargs, *told.args]
        if len(args) > len(places) and told.vararg is None:
            return False
        for word in (*places, *told.kwonlyargs):
            frame.bind(word.arg, UNKNOWN)
        defaults = zip(reversed(places), reversed(told.defaults), strict=False)
        by_word = zip(told.kwonlyargs, told.kw_defaults, strict=True)
        for word, default in (*defaults, *by_word):
            if default is not None:
                frame.bind(word.arg, self._default(default, around))
        for word, thing in zip(places, args, strict=False):
            frame.bind(word.arg, thing)
        known = {word.arg for word in (*places, *told.kwonlyargs)}
        for name, thing in words.items():
            if name in known:
                frame.bind(name, thing)
        if told.vararg is not None:
            frame.bind(told.vararg.arg, Group("tuple", list(args[len(places) :])))
        if told.kwarg is not None:
            frame.bind(told.kwarg.arg, UNKNOWN)
        return True

    def _default(self, default: ast.expr, around: Frame) -> Any:
        """What a parameter is that is not given; a name in it may have meant something else when the function was defined."""
        thing = self.of(default, around)
        fixed = isinstance(thing, Api) or not any(names_in(default))
        return thing if fixed else UNKNOWN

    def make(self, kind: Class, args: Sequence[Any], words: dict[str, Any]) -> Instance:
        """An object of a class of the program."""
        thing = Instance(kind, branch=self.run.branch)
        init = self.method(thing, "__init__")
        if init is not None:
            self.invoke(init, args, words)
        elif args or words:
            thing.lost = True  # a base that is not the program's makes something of them
        return thing

    def method(self, thing: Instance, word: str) -> Function | None:
        """A method of an object of the program."""
        for kind in thing.of.every():
            found = kind.names.get(word)
            if isinstance(found, Function):
                static = any(
                    isinstance(it, ast.Name) and it.id == "staticmethod"
                    for it in getattr(found.node, "decorator_list", ())
                )
                return Function(
                    found.node,
                    found.frame.outer or found.frame,
                    None if static else thing,
                    found.plain,
                    found.traced,
                )
        return None


@lru_cache(maxsize=1000)  # asked at every call, a tenth of what following a program costs
def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))
