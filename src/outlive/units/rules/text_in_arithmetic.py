"""Text where numbers are calculated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

CALCULATING = (
    "tf.matmul",
    "tf.add",
    "tf.multiply",
    "tf.subtract",
    "tf.square",
    "tf.nn.softmax",
    "tf.nn.sigmoid",
    "tf.reduce_sum",
)


@rule(
    "R658",
    since="0.2",
    needs=("string",),
    prevents=("dtype-mismatch",),
)
def text_in_arithmetic(source: Source) -> Iterator[Finding]:
    """An operation that calculates gets a placeholder of text.

    ## Why it is bad
    TensorFlow has no arithmetic for strings: the line ends with `TypeError` or `ValueError` when the graph is made.

    ## Bad
        with tf.compat.v1.Session() as session:
            names = tf.compat.v1.placeholder(tf.string, [None, 10])
            scores = tf.compat.v1.placeholder(tf.float32, [None, 10])
            loss = tf.nn.softmax_cross_entropy_with_logits(labels=names, logits=scores)

    ## Good
        with tf.compat.v1.Session() as session:
            classes = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.compat.v1.placeholder(tf.float32, [None, 10])
            loss = tf.nn.softmax_cross_entropy_with_logits(labels=classes, logits=scores)
    """
    for call in source.every(ast.Call):
        called = source.called(call.func)
        if (
            called not in CALCULATING
            and not called.startswith(("tf.reduce_mean", "tf.losses."))
            and not called.endswith("with_logits")
        ):
            continue
        for given in (*call.args, *(word.value for word in call.keywords)):
            made = source.origins.placeholder(given) if isinstance(given, ast.Name) else None
            dtype = (
                source.argument(made.node, 0, "dtype")
                if made is not None and isinstance(made.node, ast.Call)
                else None
            )
            if source.called(dtype) == "tf.string" or (
                isinstance(dtype, ast.Constant) and dtype.value == "string"
            ):
                yield Finding(
                    f"`{source.segment(given)}` is text, and this operation calculates: the line ends with an error.",
                    remedies=(
                        Remedy(
                            "Feed numbers: look the names up before (a dict, tf.lookup.StaticHashTable)."
                        ),
                    ),
                    where=source.place(call),
                )
