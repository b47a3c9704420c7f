"""A gradient tape for each turn of the loop."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import LOOPS
from outlive.units.unit import fix


@fix("F110", since="0.2", heals=("tape-kept-open",))
def tape_inside_loop(case: FixCase) -> Answer:
    """A new tape is opened in each iteration of the loop instead of one around it.

    ## What it changes
    The line `with tf.GradientTape() as tape:` and the `for` line below it change places.

    ## When it is offered
    The block of the `with` is the loop alone.

    ## What becomes of the results
    Gradients reach back only to the beginning of their own iteration. The patch says so.
    """
    outer = case.statement
    if not isinstance(outer, ast.With) or len(outer.items) != 1:
        return "the tape is not opened by a `with` of its own"
    if len(outer.body) != 1 or not isinstance(outer.body[0], LOOPS):
        return "the block of the tape contains more than the loop"
    loop = outer.body[0]
    if outer.body[0].lineno == outer.lineno or loop.orelse or loop.body[0].lineno == loop.lineno:
        return "the loop is written on one line"
    with_head = _head(case, outer, outer.items[0].optional_vars or outer.items[0].context_expr)
    loop_head = _head(case, loop, loop.test if isinstance(loop, ast.While) else loop.iter)
    if with_head is None or loop_head is None:
        return "the lines cannot be told apart"
    return Patch(
        "Open the tape inside the loop, for one step at a time.",
        (
            Edit(outer.lineno, outer.col_offset, with_head[0], with_head[1], loop_head[2]),
            Edit(loop.lineno, loop.col_offset, loop_head[0], loop_head[1], with_head[2]),
        ),
        results="A gradient reaches back only to the beginning of its own iteration.",
    )


def _head(case: FixCase, node: ast.stmt, last: ast.expr) -> tuple[int, int, str] | None:
    """The text of a statement up to its colon, and where that ends; ``last`` is what stands before the colon."""
    line, column = last.end_lineno or 0, last.end_col_offset or 0
    lines = [text.encode() for text in case.source.lines]
    rest = lines[line - 1][column:].lstrip(b" )]")
    if not rest.startswith(b":"):
        return None
    end = len(lines[line - 1]) - len(rest) + 1
    parts = [*lines[node.lineno - 1 : line - 1], lines[line - 1][:end]]
    text = b"\n".join(parts)[node.col_offset :].decode()
    return (line, end, text) if "#" not in text else None
