"""A last layer, or a table, that is as wide as the labels need."""

from __future__ import annotations

import ast
import re

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.complaint_facts import complained
from outlive.units.unit import fix

RANGE = re.compile(r"\[0, (\d+)")
WIDTH = {"labels": ("Dense", "units"), "index": ("Embedding", "input_dim")}


@fix("F116", since="0.2", heals=("shape-mismatch",))
def labels_and_classes(case: FixCase) -> Answer:
    """The last layer (or the table) is made as wide as the label (or index) that was refused needs.

    ## What it changes
    The number of units of the one `Dense` that has as many as there were classes, or `input_dim` of the one `Embedding` with so many rows.

    ## When it is offered
    A label or index lies above the valid range, and one layer of the file has that width, written as a number.

    ## What becomes of the results
    The model has more classes (or rows) than before. The patch says so. If the labels should have begun at 0, change
    them instead.
    """
    complaint = complained(case.evidence, "shape-mismatch")
    if complaint is None or complaint.variant not in WIDTH or not complaint.first.isdigit():
        return None
    known = RANGE.search(complaint.second)
    if known is None:
        return None
    width, needed = int(known[1]), int(complaint.first) + 1
    kind, argument = WIDTH[complaint.variant]
    layers = [
        (call, size)
        for call in case.source.every(ast.Call)
        if last_name(call.func) == kind
        and (size := case.argument(call, argument, 0)) is not None
        and case.source.number(size) == width
    ]
    if len(layers) != 1:
        return f"{len(layers)} layers of this file are {width} wide"
    size = _written(case, layers[0][1])
    if size is None:
        return f"the width of the layer is not written as a number in this file (it must be at least {needed})"
    what = "classes" if kind == "Dense" else "rows"
    return Patch(
        f"Make the {'last layer' if kind == 'Dense' else 'table'} {needed} wide.",
        (case.replaced(size, str(needed)),),
        results=f"The model has {needed} {what} instead of {width}, because {complaint.first} was seen; if the numbers should begin at 0 or end at {width - 1}, correct the data instead.",
    )


def _written(case: FixCase, size: ast.expr) -> ast.expr | None:
    """The number itself, where the layer names it."""
    if isinstance(size, ast.Constant):
        return size
    bound = case.source.names.latest(size) if isinstance(size, ast.Name) else None
    value = bound.value if bound is not None and bound.how == "assign" else None
    return value if isinstance(value, ast.Constant) else None
