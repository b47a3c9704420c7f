"""The largest of a single number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R656",
    since="0.2",
    needs=("argmax",),
    prevents=("uncaught-exception",),
)
def argmax_of_one_column(source: Source) -> Iterator[Finding]:
    """`argmax` is taken along an axis of which there is only one element.

    ## Why it is bad
    It is always 0: an accuracy that compares two of them is always 100 %, whatever the model does.

    ## Bad
        with tf.compat.v1.Session() as session:
            labels = tf.compat.v1.placeholder(tf.float32, [None, 1])
            right = tf.equal(tf.argmax(labels, 1), 0)

    ## Good
        with tf.compat.v1.Session() as session:
            labels = tf.compat.v1.placeholder(tf.float32, [None, 1])
            right = tf.equal(tf.greater(labels, 0.5), False)
    """
    for call in source.calls("tf.argmax", "tf.math.argmax", "numpy.argmax"):
        axis = source.number(source.argument(call, 1, "axis", "dimension"))
        shape = _shape(source, source.argument(call, 0, "input", "a"))
        if axis is None or shape is None or not -len(shape) <= axis < len(shape):
            continue
        if shape[int(axis)] == 1:
            yield Finding(
                "There is one element along this axis, so the result is always 0.",
                remedies=(Remedy("Compare with a threshold instead: tf.greater(x, 0.5)."),),
                where=source.place(call),
            )


def _shape(source: Source, node: ast.expr | None) -> tuple[float | None, ...] | None:
    """The sizes of an array, or of a placeholder as it was made."""
    known = source.specs.of(node)
    if known is not None:
        return known.shape if known.count == 1 else None
    if not isinstance(node, ast.Name):
        return None
    made = source.origins.placeholder(node)
    shape = (
        source.argument(made.node, 1, "shape")
        if made is not None and isinstance(made.node, ast.Call)
        else None
    )
    sizes = shape.elts if isinstance(shape, ast.List | ast.Tuple) else None
    return tuple(source.number(size) for size in sizes) if sizes is not None else None
