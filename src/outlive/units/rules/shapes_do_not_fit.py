"""Two arrays that an operation cannot take together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R602", since="0.2", prevents=("shape-mismatch",))
def shapes_do_not_fit(source: Source) -> Iterator[Finding]:
    """An operation gets two arrays or tensors whose shapes do not fit together.

    ## Why it is bad
    The line fails with `InvalidArgumentError` or `ValueError`, whatever the data is. Arithmetic needs equal sizes, or
    1; a matrix product needs the last size on the left to equal the second to last on the right.

    ## Bad
        weights = tf.random.normal([784, 128])
        hidden = tf.matmul(weights, tf.ones([784, 10]))

    ## Good
        weights = tf.random.normal([784, 128])
        hidden = tf.matmul(tf.ones([10, 784]), weights)
    """
    remedy = Remedy(
        "Give it sizes that fit: tf.reshape, tf.transpose or tf.expand_dims of one of the sides."
    )
    told = set()
    for node in (*source.every(ast.Call), *source.every(ast.BinOp)):
        misfit = source.specs.misfit(node)
        if misfit is None:
            continue
        told.add(node)
        yield Finding(
            f"The shapes {misfit.left} and {misfit.right} do not fit together: {misfit.why}.",
            confidence=Confidence.POSSIBLE if source.is_caught(node) else Confidence.LIKELY,
            remedies=(remedy,),
            where=source.place(node),
        )
    for trouble in source.refused("shape"):
        if trouble.node not in told:
            yield Finding(
                f"{trouble.by} refuses these shapes: {trouble.says}.",
                confidence=source.surely(trouble),
                remedies=(remedy,),
                where=source.place(trouble.node),
            )
