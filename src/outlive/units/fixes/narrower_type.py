"""An array of the type that its values need."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix

#: Makes an array of float64 unless it is told otherwise; the place of the type among its arguments.
MAKERS = {
    "numpy.zeros": 1, "numpy.ones": 1, "numpy.empty": 1, "numpy.full": 2, "numpy.linspace": 5, "numpy.array": 1,
    "numpy.asarray": 1, "numpy.eye": 3, "numpy.random.random": -1, "numpy.random.rand": -1, "numpy.random.randn": -1,
    "numpy.random.normal": -1, "numpy.random.uniform": -1,
}  # fmt: skip


@fix("F106", since="0.2", heals=("widened-dtype", "memory-limit-reached", "allocation-refused"))
def narrower_type(case: FixCase) -> Answer:
    """The array is made as float32, with four bytes per number instead of eight.

    ## What it changes
    `float64` in the call becomes `float32`; a maker such as `np.zeros` gets `dtype="float32"`; what is divided is made float32 first.

    ## When it is offered
    The line that made the array is known, and its type is decided there.

    ## What becomes of the results
    Numbers are rounded to seven digits instead of sixteen. The patch says so.
    """
    edits = case.by_remedy() or _retyped(case) or _made(case) or _divided(case)
    if not edits:
        return "the line does not state the type of the array" if _is_about_types(case) else None
    return Patch(
        "Make the array with four bytes per number.",
        edits,
        results="Numbers are rounded to 7 digits (float32) instead of 16 (float64).",
    )


def _is_about_types(case: FixCase) -> bool:
    return case.finding.slug == "widened-dtype"


def _retyped(case: FixCase) -> tuple[Edit, ...]:
    for call in case.calls("astype", "cast", "array", "asarray", "zeros", "ones", "empty", "full"):
        words = [*call.args, *(word.value for word in call.keywords)]
        for word in words:
            if isinstance(word, ast.Attribute) and word.attr in ("float64", "double"):
                return (case.replaced(word, f"{case.source.segment(word.value)}.float32"),)
            if isinstance(word, ast.Constant) and word.value in ("float64", "double"):
                return (case.replaced(word, '"float32"'),)
            if isinstance(word, ast.Name) and case.source.called(word) == "builtins.float":
                return (case.replaced(word, '"float32"'),)
    return ()


def _made(case: FixCase) -> tuple[Edit, ...]:
    for call in case.calls():
        place = MAKERS.get(case.source.called(call.func))
        if place is None:
            continue
        if place < 0:  # the old random functions have no type; the result is narrowed at once
            return (case.behind(call, '.astype("float32")'),) if _is_about_types(case) else ()
        if not _is_about_types(case) and call is not getattr(case.statement, "value", None):
            continue  # what the line makes of it may have another type
        if case.argument(call, "dtype", place) is None and not _wants_its_own_type(case, call):
            return (case.one_argument_more(call, 'dtype="float32"'),)
    return ()


def _wants_its_own_type(case: FixCase, call: ast.Call) -> bool:
    """`np.array(x)` makes what x is: that is only known to be float64 where the finding says so."""
    return case.source.called(call.func) in (
        "numpy.array",
        "numpy.asarray",
    ) and not _is_about_types(case)


def _divided(case: FixCase) -> tuple[Edit, ...]:
    statement = case.statement
    if statement is None or not _is_about_types(case):
        return ()
    for node in ast.walk(statement):
        left = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else None
        if isinstance(left, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            return (case.behind(left, '.astype("float32")'),)
    return ()
