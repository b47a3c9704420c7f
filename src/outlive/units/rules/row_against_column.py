"""A row of numbers that is compared with a column."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Frame, Source
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
Sizes = tuple[float | None, ...]
SAME_SHAPE = frozenset(
    {
        "tf.nn.relu",
        "tf.nn.sigmoid",
        "tf.sigmoid",
        "tf.nn.tanh",
        "tf.tanh",
        "tf.nn.softmax",
        "tf.nn.dropout",
    }
)
#: Makers of tensors, with the place of their shape.
MADE = {
    "tf.zeros": 0, "tf.ones": 0, "tf.random_normal": 0, "tf.truncated_normal": 0, "tf.random_uniform": 0, "tf.random.normal": 0,
    "tf.random.uniform": 0, "tf.random.truncated_normal": 0,
}  # fmt: skip
#: A sum of sums of sums is not followed to its end.
MOST_STEPS = 200
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
        if len(row) == 1 and len(column) == 2 and column[1] == 1 and row[0] == column[0] != 1:
            many = "n" if row[0] is None else f"{row[0]:.0f}"
            yield Finding(
                f"[{many}] and [{many}, 1] make [{many}, {many}]: every label is compared with every result.",
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


def _shape(
    source: Source, node: ast.expr | None, frame: Frame | None = None, left: list[int] | None = None
) -> Sizes | None:
    """The sizes of a tensor: as it is written, of a product, or of what gives its argument on; None for one of any size."""
    known = source.specs.of(node) if frame is None else None
    if known is not None:
        return known.shape if known.count == 1 else None
    left = [MOST_STEPS] if left is None else left
    left[0] -= 1
    roots = source.origins.roots(node, frame) if left[0] > 0 else ()
    root = roots[0] if len(roots) == 1 else None
    if root is None or not isinstance(root.node, ast.Call | ast.BinOp):
        return None
    if isinstance(root.node, ast.BinOp) or source.origins.called(root) in ("tf.add", "tf.math.add"):
        pair = (
            (root.node.left, root.node.right)
            if isinstance(root.node, ast.BinOp)
            else root.node.args[:2]
        )
        shapes = [_shape(source, side, root.frame, left) for side in pair]
        return (
            max((it for it in shapes if it is not None), key=len, default=None)
            if None not in shapes
            else None
        )
    called = source.origins.called(root)
    first = root.node.args[0] if root.node.args else None
    if called == "tf.matmul" and len(root.node.args) == 2 and not root.node.keywords:
        one, other = (_shape(source, side, root.frame, left) for side in root.node.args)
        plain = one is not None and other is not None and len(one) == len(other) == 2
        return (one[0], other[1]) if plain and one is not None and other is not None else None
    if called in SAME_SHAPE or called == "tf.Variable":
        return _shape(
            source, first or source.argument(root.node, None, "initial_value"), root.frame, left
        )
    if called in MADE or called == "tf.placeholder":
        given = source.argument(root.node, MADE.get(called, 1), "shape")
        return _written(source, given, root.frame)
    return None


def _written(source: Source, given: ast.expr | None, frame: Frame | None) -> Sizes | None:
    roots = source.origins.roots(given, frame)
    only = roots[0].node if len(roots) == 1 else None
    if not isinstance(only, ast.List | ast.Tuple) or any(
        isinstance(it, ast.Starred) for it in only.elts
    ):
        return None
    return tuple(source.number(size) for size in only.elts)
