"""Labels where the logits belong."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

LOSSES = (
    "tf.losses.softmax_cross_entropy", "tf.losses.sparse_softmax_cross_entropy", "tf.losses.sigmoid_cross_entropy",
    "tf.nn.softmax_cross_entropy_with_logits", "tf.nn.softmax_cross_entropy_with_logits_v2",
    "tf.nn.sparse_softmax_cross_entropy_with_logits", "tf.nn.sigmoid_cross_entropy_with_logits",
)  # fmt: skip


@rule(
    "R653",
    since="0.2",
    needs=("cross_entropy",),
    prevents=("uncaught-exception",),
)
def labels_and_logits_swapped(source: Source) -> Iterator[Finding]:
    """A loss gets the placeholder of the labels as its logits, and the result of the model as its labels.

    ## Why it is bad
    The loss is then worked out of a number that no weight changes: "No gradients provided for any variable", or a model that learns
    nothing.

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 784])
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.compat.v1.layers.dense(pixels, 10)
            loss = tf.compat.v1.losses.softmax_cross_entropy(scores, labels)
            session.run(tf.compat.v1.global_variables_initializer())

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 784])
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.compat.v1.layers.dense(pixels, 10)
            loss = tf.compat.v1.losses.softmax_cross_entropy(labels, scores)
            session.run(tf.compat.v1.global_variables_initializer())
    """
    for call in source.calls(*LOSSES):
        places = (0, 1) if source.called(call.func).startswith("tf.losses.") else (None, None)
        labels = source.argument(call, places[0], "labels", "onehot_labels", "multi_class_labels")
        logits = source.argument(call, places[1], "logits")
        if source.origins.placeholder(logits) is not None and source.origins.activation(labels):
            yield Finding(
                "The logits are a placeholder and the labels are the result of a model: they are swapped.",
                remedies=(Remedy("Swap them, and write their names: labels=…, logits=…."),),
                where=source.place(call),
            )
