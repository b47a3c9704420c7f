"""A loss that no weight can be learned from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

WEIGHTS = frozenset({"tf.Variable", "tf.get_variable", "tf.layers.dense", "tf.layers.conv2d"})
#: Operations whose result does not change with a small change of what they get.
FLAT = frozenset({
    "tf.argmax", "tf.math.argmax", "tf.argmin", "tf.equal", "tf.math.equal", "tf.not_equal", "tf.greater", "tf.math.greater", "tf.less",
    "tf.math.less", "tf.round", "tf.math.round", "tf.floor", "tf.sign", "tf.math.sign", "tf.to_int32", "tf.to_int64", "tf.shape", "tf.one_hot",
})  # fmt: skip


@rule(
    "R665",
    since="0.2",
    needs=("minimize",),
    prevents=("uncaught-exception",),
)
def loss_without_gradient(source: Source) -> Iterator[Finding]:
    """An optimizer gets a loss that is worked out by `argmax`, a comparison or a rounding.

    ## Why it is bad
    Such operations have no gradient: "No gradients provided for any variable".

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 784])
            labels = tf.compat.v1.placeholder(tf.int64, [None])
            scores = tf.compat.v1.layers.dense(pixels, 10)
            loss = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(scores, 1), labels), tf.float32))
            train = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(train, feed_dict={pixels: np.zeros([1, 784]), labels: [0]})

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 784])
            labels = tf.compat.v1.placeholder(tf.int64, [None])
            scores = tf.compat.v1.layers.dense(pixels, 10)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))
            train = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(train, feed_dict={pixels: np.zeros([1, 784]), labels: [0]})
    """
    for step in source.steps:
        if not isinstance(step.call.func, ast.Attribute) or step.call.func.attr != "minimize":
            continue
        loss = source.argument(step.call, 0, "loss")
        through = source.origins.needs(loss, WEIGHTS, step.frame, stop=FLAT)
        if (
            not through
            and source.origins.needs(loss, WEIGHTS, step.frame)
            and source.origins.is_known(loss, step.frame, FLAT)
        ):
            yield Finding(
                "No weight can be learned from this loss: every way to one goes through an operation without a gradient.",
                remedies=(
                    Remedy(
                        "Minimize a loss that is worked out of the scores themselves, such as a cross entropy."
                    ),
                ),
                where=source.place(step.call),
            )
