"""A row of numbers that is compared with a column."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

OF_LOSSES = (
    "tf.square",
    "tf.math.square",
    "tf.abs",
    "tf.math.abs",
    "tf.pow",
    "tf.math.pow",
    "numpy.square",
    "numpy.abs",
)
SUBTRACTING = ("tf.subtract", "tf.math.subtract", "numpy.subtract")


@rule(
    "R657",
    since="0.2",
    needs=(
        "square",
        "pow",
        "abs",
        "mean",
    ),
    prevents=("shape-mismatch",),
)
def row_against_column(source: Source) -> Iterator[Finding]:
    """A loss subtracts an array of shape [n] from one of shape [n, 1], which makes [n, n].

    ## Why it is bad
    Both are stretched to each other: every label is compared with every prediction. The line works, the loss is a number, and the model learns the mean
    of all labels.

    ## Bad
        labels = tf.constant([1.0, 2.0, 3.0])
        scores = tf.matmul(tf.ones([3, 2]), tf.ones([2, 1]))
        loss = tf.reduce_mean(tf.square(labels - scores))

    ## Good
        labels = tf.constant([[1.0], [2.0], [3.0]])
        scores = tf.matmul(tf.ones([3, 2]), tf.ones([2, 1]))
        loss = tf.reduce_mean(tf.square(labels - scores))
    """
    for call in source.calls(*OF_LOSSES):
        difference = call.args[0] if call.args else None
        sides = _sides(source, difference)
        if sides is None:
            continue
        one, other = (_shape(source, side) for side in sides)
        if one is None or other is None:
            continue
        row, column = sorted((one, other), key=len)
        if (
            len(row) == 1
            and len(column) == 2
            and column[1] == 1
            and row[0] == column[0] != 1
            and row[0] is not None
        ):
            yield Finding(
                f"[{row[0]}] and [{column[0]}, 1] make [{column[0]}, {row[0]}]: every label is compared with every result.",
                remedies=(
                    Remedy("Make both columns: tf.reshape(labels, [-1, 1]) or labels[:, None]."),
                ),
                where=source.place(call),
            )


def _sides(source: Source, node: ast.expr | None) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of a difference."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return node.left, node.right
    if (
        isinstance(node, ast.Call)
        and source.called(node.func) in SUBTRACTING
        and len(node.args) == 2
    ):
        return node.args[0], node.args[1]
    return None


def _shape(source: Source, node: ast.expr) -> tuple[int | None, ...] | None:
    known = source.specs.of(node)
    return known.shape if known is not None and known.count == 1 else None
