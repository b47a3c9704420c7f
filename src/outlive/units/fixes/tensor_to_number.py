"""A number of a step that is kept as a number, not as a tensor."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix

TORCH = ("loss", "item")


@fix("F128", since="0.2", heals=("kept-in-container", "memory-limit-reached", "native-leak"))
def tensor_to_number(case: FixCase) -> Answer:
    """A loss that is summed up or kept is kept as a number, so that the computation behind it can go.

    ## What it changes
    `total += loss` becomes `total += loss.item()` (PyTorch); `kept.append(loss)` likewise.

    ## When it is offered
    In the same loop `loss.backward()` is called, so that it is a PyTorch tensor with one number.

    ## What becomes of the results
    The numbers are the same, as Python numbers.
    """
    statement, loop = case.statement, case.loop
    if loop is None:
        return None
    losses = {
        call.func.value.id
        for call in case.calls_in(loop, "backward")
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    }
    words = [
        word
        for part in [statement, *loop.body]
        for word in _kept(part)
        if isinstance(word, ast.Name) and word.id in losses
    ]
    if not words:
        return None
    unique = {(word.lineno, word.col_offset): word for word in words}
    return Patch(
        "Keep the number, not the tensor with all that it was computed from.",
        tuple(case.behind(word, ".item()") for word in unique.values()),
    )


def _kept(part: ast.AST | None) -> list[ast.expr]:
    """What a statement adds to a sum, or puts into a container."""
    if isinstance(part, ast.AugAssign):
        return [part.value]
    call = part.value if isinstance(part, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return list(call.args) if call.func.attr == "append" else []
    return []
