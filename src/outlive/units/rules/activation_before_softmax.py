"""An activation on what a loss takes as logits."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Losses that work out the softmax or the sigmoid themselves, with the place of their logits where it is clear.
LOSSES = {
    "tf.nn.softmax_cross_entropy_with_logits": None, "tf.nn.softmax_cross_entropy_with_logits_v2": None,
    "tf.nn.sparse_softmax_cross_entropy_with_logits": None, "tf.losses.softmax_cross_entropy": 1,
    "tf.losses.sparse_softmax_cross_entropy": 1,
}  # fmt: skip

BOUNDED = frozenset({"softmax", "sigmoid", "relu", "relu6"})


@rule(
    "R651",
    since="0.2",
    needs=("softmax",),
    prevents=("not-finite",),
)
def activation_before_softmax(source: Source) -> Iterator[Finding]:
    """A loss that works out the softmax itself gets numbers that went through an activation.

    ## Why it is bad
    `softmax_cross_entropy_with_logits` wants the plain result of the last layer. After a softmax its gradients nearly vanish, after a ReLU a class can
    never score below zero, and where all scores are negative nothing is learned at all. No error says so.

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 784])
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.nn.softmax(tf.matmul(pixels, tf.compat.v1.get_variable("weights", [784, 10])))
            loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=scores)
            session.run(tf.compat.v1.global_variables_initializer())

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 784])
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.matmul(pixels, tf.compat.v1.get_variable("weights", [784, 10]))
            loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=scores)
            session.run(tf.compat.v1.global_variables_initializer())
    """
    for call in source.calls(*LOSSES):
        logits = source.argument(call, LOSSES[source.called(call.func)], "logits")
        found = source.origins.activation(logits)
        if found in BOUNDED:
            yield Finding(
                f"The logits of this loss went through `{found}` already; the loss works out the softmax itself.",
                remedies=(
                    Remedy(
                        f"Give it the numbers before `{found}`, and use `{found}` for the predictions only."
                    ),
                ),
                where=source.place(call),
            )
