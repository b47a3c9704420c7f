"""Labels and logits that are told apart by their place only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

LOSSES = (
    "tf.nn.softmax_cross_entropy_with_logits", "tf.nn.sparse_softmax_cross_entropy_with_logits", "tf.nn.sigmoid_cross_entropy_with_logits",
)  # fmt: skip


@rule(
    "R652",
    since="0.2",
    needs=("with_logits",),
    prevents=("uncaught-exception",),
    behind=("shapes-do-not-fit",),
)
def positional_labels_and_logits(source: Source) -> Iterator[Finding]:
    """A cross entropy of TensorFlow 1 gets labels and logits without their names.

    ## Why it is bad
    The order of the two was turned round in TensorFlow 1.0. Since then the functions of TensorFlow 1 refuse arguments without a name: "Only call
    `softmax_cross_entropy_with_logits` with named arguments".

    ## Bad
        with tf.compat.v1.Session() as session:
            scores = tf.compat.v1.placeholder(tf.float32, [None, 10])
            labels = tf.compat.v1.placeholder(tf.int32, [None])
            loss = tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(scores, labels)

    ## Good
        with tf.compat.v1.Session() as session:
            scores = tf.compat.v1.placeholder(tf.float32, [None, 10])
            labels = tf.compat.v1.placeholder(tf.int32, [None])
            loss = tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    """
    for call in source.calls(*LOSSES):
        written = source.names.written(call.func)
        first = "compat.v1" in written or _is_of_tensorflow_1(source)
        if (
            call.args
            and first
            and not isinstance(call.args[0], ast.Starred)
            and not source.is_caught(call)
        ):
            yield Finding(
                f"`{source.called(call.func).rpartition('.')[2]}` refuses arguments without a name: this line ends with ValueError.",
                remedies=(Remedy("Write labels=… and logits=…."),),
                where=source.place(call),
            )


def _is_of_tensorflow_1(source: Source) -> bool:
    """Whether the program uses what only TensorFlow 1 has, by its plain name."""
    old = source.calls("tf.placeholder", "tf.Session", "tf.InteractiveSession", "tf.get_variable")
    return any("compat" not in source.names.written(call.func) for call in old)
