"""Tensors of types that an operation cannot take together."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R612", since="0.2", prevents=("dtype-mismatch",))
def dtypes_do_not_fit(source: Source) -> Iterator[Finding]:
    """An operation gets tensors of types that it cannot take together.

    ## Why it is bad
    TensorFlow converts numbers of Python's and arrays of NumPy's, and never one tensor's type to another's: `int32 + float32` ends with
    `InvalidArgumentError` or `TypeError` whatever the data is. TensorFlow is asked, in a process of its own.

    ## Bad
        indices = tf.constant([1, 2, 3])
        weights = tf.constant([0.5, 0.5, 1.0])
        total = tf.reduce_sum(indices * weights)

    ## Good
        indices = tf.constant([1, 2, 3])
        weights = tf.constant([0.5, 0.5, 1.0])
        total = tf.reduce_sum(tf.cast(indices, tf.float32) * weights)
    """
    for trouble in source.refused("dtype"):
        yield Finding(
            f"{trouble.by} refuses these types: {trouble.says}.",
            confidence=source.surely(trouble),
            remedies=(Remedy("Convert one of them: tf.cast(x, tf.float32)."),),
            where=source.place(trouble.node),
        )
