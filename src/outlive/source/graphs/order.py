"""In which order the calls of a file run when it is started as a program: functions of the file are followed where they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.quick_dataclass import dataclass
from outlive.source.graphs.origins import Frame, Origins
from outlive.source.names import Names
from outlive.source.syntax import LOOPS, NAMED_FUNCTIONS

#: A program with more steps is not followed further: nobody reads that far, and functions may call each other often.
MOST_STEPS = 4000
MOST_DEPTH = 8

#: Who calls the function that it is given, once: `tf.app.run(main)`.
STARTERS = ("tf.app.run", "absl.app.run")


@dataclass(frozen=True, slots=True)
class Step:
    """One call, as the program runs."""

    call: ast.Call
    frame: Frame | None
    loops: tuple[
        ast.AST, ...
    ]  #: the loops that repeat it, those of the callers included, the outermost first
    branch: bool  #: whether it is in a branch that may be left out


class Order:
    """The calls of a program, one after the other. Both branches of an `if` are walked; a loop's body is walked once."""

    def __init__(self, module: ast.Module, names: Names, origins: Origins) -> None:
        self._names = names
        self._origins = origins
        self._left = MOST_STEPS
        self.steps: tuple[Step, ...] = tuple(self._block(module.body, None, (), False, MOST_DEPTH))
        self.whole = self._left > 0  #: whether nothing was left out

    def _block(
        self, body: list[ast.stmt], frame: Frame | None, loops: tuple[ast.AST, ...], branch: bool, depth: int
    ) -> Iterator[Step]:  # fmt: skip
        for statement in body:
            yield from self._statement(statement, frame, loops, branch, depth)

    def _statement(
        self, node: ast.stmt, frame: Frame | None, loops: tuple[ast.AST, ...], branch: bool, depth: int
    ) -> Iterator[Step]:  # fmt: skip
        if isinstance(node, (*NAMED_FUNCTIONS, ast.ClassDef)):
            return
        within = (*loops, node) if isinstance(node, LOOPS) else loops
        inner = branch or isinstance(node, ast.If | ast.Match)
        own = inner and not _is_main(node)
        for name, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for part in parts:
                if isinstance(part, ast.stmt):
                    once = name in ("orelse", "finalbody")
                    yield from self._statement(part, frame, loops if once else within, own, depth)
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    yield from self._block(part.body, frame, within, True, depth)
                elif isinstance(part, ast.AST):
                    repeated = isinstance(node, ast.While)
                    yield from self._expression(part, frame, within if repeated else loops, branch, depth)  # fmt: skip

    def _expression(
        self, node: ast.AST, frame: Frame | None, loops: tuple[ast.AST, ...], branch: bool, depth: int
    ) -> Iterator[Step]:  # fmt: skip
        if isinstance(node, ast.Lambda) or self._left <= 0:
            return
        for below in ast.iter_child_nodes(node):
            yield from self._expression(below, frame, loops, branch, depth)
        if not isinstance(node, ast.Call):
            return
        self._left -= 1
        yield Step(node, frame, loops, branch)
        function, call = self._followed(node, frame)
        if function is not None and depth and not _runs(function, frame):
            inner = Frame(function, call, frame)
            yield from self._block(function.body, inner, loops, branch, depth - 1)

    def _followed(self, call: ast.Call, frame: Frame | None) -> tuple[ast.FunctionDef | None, ast.Call]:  # fmt: skip
        """The function of the file that a call runs: also `Model()`, `model.train()` of a class, and `tf.app.run(main)`."""
        if self._names.called(call.func) in STARTERS:
            given = next(iter(call.args), None)
            main = self._names.definition(given)
            return (main, call) if isinstance(main, ast.FunctionDef) else (None, call)
        function = self._names.definition(call.func)
        if isinstance(function, ast.FunctionDef):
            return function, call
        made = self._class(call.func)
        if made is not None:
            return _method(made, "__init__"), call
        if isinstance(call.func, ast.Attribute):
            roots = self._origins.roots(call.func.value, frame)
            only = roots[0].node if len(roots) == 1 else None
            owner = self._class(only.func) if isinstance(only, ast.Call) else None
            if owner is not None:
                return _method(owner, call.func.attr), call
        return None, call

    def _class(self, name: ast.expr) -> ast.ClassDef | None:
        bound = self._names.bindings(name) if isinstance(name, ast.Name) else []
        node = bound[0].node if len(bound) == 1 else None
        return node if isinstance(node, ast.ClassDef) else None


def _method(of: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((it for it in of.body if isinstance(it, ast.FunctionDef) and it.name == name), None)


def _runs(function: ast.AST, frame: Frame | None) -> bool:
    """Whether the function is being followed already."""
    while frame is not None:
        if frame.function is function:
            return True
        frame = frame.outer
    return False


def _is_main(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":` is done by a program that is started."""
    return isinstance(node, ast.If) and any(
        isinstance(name, ast.Name) and name.id == "__name__" for name in ast.walk(node.test)
    )
