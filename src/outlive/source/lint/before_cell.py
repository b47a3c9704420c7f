"""What will fail in a cell that is about to run, given the values that are there: the same engine as lint's, asked about the cell alone. Pure.

The values are written as a cell before it, in Python, so that everything that reads a notebook reads them too. Only what is certain, or nearly so, is told: a
line that may not run (in a function, a branch, a ``try``) is never accused.
"""

from __future__ import annotations

import ast
import difflib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field

from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass
from outlive.source.parsed import Machine, Source
from outlive.source.tree import new_tree
from outlive.units.rules.large_sum_in_list import large_sum_in_list

#: The names of this file's cells: the values, and the cell itself.
VALUES, CELL = 1, 2

#: What is only reserved, and takes memory when it is written to.
RESERVED = ("numpy.zeros", "numpy.empty", "numpy.zeros_like", "numpy.empty_like")

#: Operations of TensorFlow that take two tensors of one type, beside the operators.
OF_ONE_TYPE = frozenset(
    f"tf.{name}"
    for name in (
        "add", "subtract", "multiply", "matmul", "maximum", "minimum", "math.add", "math.subtract", "math.multiply",
        "linalg.matmul",
    )
)  # fmt: skip
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.FloorDiv, ast.Mod)

#: How much alike a name and a misspelled one are, and how many names are compared.
ALIKE = 0.8
MOST_COMPARED = 500


@dataclass(frozen=True, slots=True)
class Live:
    """What a notebook knows before its next cell runs."""

    values: Mapping[str, str]  #: name -> what it is, as Python text
    names: Collection[str]  #: those of the cell that are bound, also to what is not known
    given: Collection[str] = ()  #: those of the cell that Python or the notebook gives
    others: Collection[str] = ()  #: further names, for a misspelled one
    #: Name -> type, of TensorFlow's tensors and variables; empty where it converts types itself.
    tensors: Mapping[str, str] = field(default_factory=dict)
    left_bytes: int | None = None  #: of the limit that is nearest
    limit_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Warning:
    """One line that will fail."""

    line: int
    says: str


def foreseen(cell: str, live: Live) -> list[Warning]:
    """What will fail in a cell, by line; nothing of a cell that cannot be read."""
    known = [
        f"{name} = {value}"
        for name, value in live.values.items()
        if not value.startswith("import ")
    ]
    modules = [
        f"{value} as {name}" for name, value in live.values.items() if value.startswith("import ")
    ]
    others = [name for name in live.names if name not in live.values]
    imports = ["import numpy as _outlive_numpy, tensorflow as _outlive_tf", *modules]
    if others:
        imports.append(f"from __main__ import {', '.join(others)}")
    cells = [
        {"cell_type": "code", "source": text} for text in ("\n".join([*imports, *known]), cell)
    ]
    try:
        source = Source(
            "cell.ipynb", json.dumps({"cells": cells}), Machine(memory_bytes=live.left_bytes), tree_of=new_tree
        )  # fmt: skip
    except (SyntaxError, ValueError, RecursionError):
        return []  # Python says it better
    if source.cells is None or source.cells.unread:
        return []
    look = _Look(source, live)
    found = [*look.undefined(), *look.shapes(), *look.types(), *look.memory()]
    by_line = {warning.line: warning for warning in reversed(found)}
    return [by_line[line] for line in sorted(by_line)]


class _Look:
    """One cell, asked each question."""

    def __init__(self, source: Source, live: Live) -> None:
        self._source = source
        self._live = live
        self._bound_here = {
            name.id
            for name in source.every(ast.Name)
            if not isinstance(name.ctx, ast.Load) and source.place(name).cell == CELL
        }

    def undefined(self) -> Iterator[Warning]:
        for missing in self._source.undefined:
            name = missing.node.id
            bound = name in self._live.names or name in self._live.given
            if not bound and self._runs(missing.node):
                others = [*self._bound_here, *self._live.names, *self._live.others]
                near = difflib.get_close_matches(name, others[:MOST_COMPARED], 1, ALIKE)
                hint = f" Add: {missing.statement}" if missing.statement else ""
                hint = hint or (f" Did you mean `{near[0]}`?" if near else "")
                yield self._warning(missing.node, f"will fail: `{name}` is not defined.{hint}")

    def shapes(self) -> Iterator[Warning]:
        for node in self._nodes(ast.Call, ast.BinOp):
            misfit = self._source.specs.misfit(node)
            if misfit is not None:
                words = f"{misfit.left} and {misfit.right} do not fit together: {misfit.why}"
                yield self._warning(node, f"will fail: the shapes {words}.")

    def types(self) -> Iterator[Warning]:
        for node in self._nodes(ast.Call, ast.BinOp):
            sides: Sequence[ast.expr] = ()
            if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATORS):
                sides = (node.left, node.right)
            elif isinstance(node, ast.Call) and not node.keywords:
                sides = node.args if self._source.called(node.func) in OF_ONE_TYPE else ()
            kinds = [self._type_of(side) for side in sides]
            if len(kinds) == 2 and all(kinds) and kinds[0] != kinds[1]:
                words = " and ".join(kinds)
                yield self._warning(
                    node,
                    f"will fail: tensors of {words}; TensorFlow does not convert one to the other. Convert it: tf.cast.",
                )

    def _type_of(self, node: ast.expr) -> str:
        """The type of a tensor that was there before this cell, and that the cell does not bind anew."""
        if isinstance(node, ast.Name) and node.id not in self._bound_here:
            return self._live.tensors.get(node.id, "")
        return ""

    def memory(self) -> Iterator[Warning]:
        left, limit = self._live.left_bytes, self._live.limit_bytes
        if left is None or limit is None or any(self._source.every(ast.Delete)):
            return
        of = f"{size(left)} of {size(limit)} are left"
        for node in self._nodes(ast.Call, ast.BinOp):
            made = self._source.specs.of(node)
            if made is None or made.bytes <= left:
                continue
            if isinstance(node, ast.Call):
                reserved = self._source.called(node.func) in RESERVED
                given = [self._source.specs.of(word) for word in node.args[:1]]
                if made in given or (reserved and made.bytes <= limit):
                    continue  # handed on; or reserved, and perhaps never filled
            yield self._warning(
                node, f"makes a {made.dtype} array of {made}: {size(made.bytes)}; {of}."
            )
        if any(self._source.every(ast.Break, ast.Return)):
            return  # the loop may end earlier
        for finding in large_sum_in_list.ask(self._source):
            where = finding.where
            if where is not None and where.cell == CELL and finding.because:
                calls = [it for it in self._nodes(ast.Call) if self._source.place(it) == where]
                if calls:
                    yield Warning(where.line, f"line {where.line}: {finding.says[:-1]} left.")

    def _nodes(self, *kinds: type[ast.expr]) -> Iterator[ast.expr]:
        return (node for node in self._source.every(*kinds) if self._runs(node))

    def _runs(self, node: ast.AST) -> bool:
        """Whether a node of the cell is surely reached, if the lines above it are, and its error is not expected."""
        if self._source.place(node).cell != CELL:
            return False
        below = node
        for above in self._source.tree.ancestors(node):
            if isinstance(above, ast.If | ast.While | ast.IfExp | ast.Match):
                if below is not getattr(above, "test", getattr(above, "subject", None)):
                    return False
            elif isinstance(above, ast.BoolOp):
                if below is not above.values[0]:
                    return False
            elif isinstance(above, ast.For | ast.AsyncFor):
                if below in above.orelse:
                    return False
            elif isinstance(
                above,
                ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Try | ast.With | ast.AsyncWith
                | ast.comprehension | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Assert,
            ):  # fmt: skip
                return False
            below = above
        return True

    def _warning(self, node: ast.AST, says: str) -> Warning:
        line = self._source.place(node).line
        return Warning(line, f"line {line} {says}")
