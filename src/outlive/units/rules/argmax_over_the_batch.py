"""The largest of a whole batch, where the class of each example was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R683",
    since="0.2",
    needs=("argmax",),
    prevents=("uncaught-exception",),
)
def argmax_over_the_batch(source: Source) -> Iterator[Finding]:
    """`argmax` works along the first axis, which is the batch.

    ## Why it is bad
    Without an axis, and with axis 0, `tf.argmax` gives for each class the number of the example that scores highest, not for each example its class. An accuracy made of it
    means nothing.

    ## Bad
        with tf.compat.v1.Session() as session:
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            classes = tf.argmax(labels)

    ## Good
        with tf.compat.v1.Session() as session:
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            classes = tf.argmax(labels, axis=1)
    """
    for call in source.calls("tf.argmax", "tf.math.argmax"):
        axis = source.argument(call, 1, "axis", "dimension")
        given = source.argument(call, 0, "input")
        if not isinstance(given, ast.Name) or (axis is not None and source.number(axis) != 0):
            continue
        made = source.origins.placeholder(given)
        shape = (
            source.argument(made.node, 1, "shape")
            if made is not None and isinstance(made.node, ast.Call)
            else None
        )
        sizes = shape.elts if isinstance(shape, ast.List | ast.Tuple) else []
        if (
            len(sizes) == 2
            and isinstance(sizes[0], ast.Constant)
            and sizes[0].value is None
            and not any(word.arg is None for word in call.keywords)
        ):
            yield Finding(
                "This is along the batch: it gives an example for each class, not a class for each example.",
                remedies=(Remedy("Write tf.argmax(x, axis=1)."),),
                where=source.place(call),
            )
