"""The logarithm of a number that can be zero or less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

REACHING = {
    "softmax": "A softmax reaches 0", "sigmoid": "A sigmoid reaches 0 and 1", "relu": "A ReLU gives 0 for half of its inputs",
    "none": "A layer without an activation gives negative numbers",
}  # fmt: skip
WEIGHTS = frozenset(
    {
        "tf.Variable",
        "tf.get_variable",
        "tf.layers.dense",
        "tf.placeholder",
        "keras.Input",
        "keras.layers.Input",
    }
)


@rule(
    "R654",
    since="0.2",
    needs=("log",),
    prevents=("not-finite",),
)
def log_without_floor(source: Source) -> Iterator[Finding]:
    """The logarithm is taken of the result of a softmax, a sigmoid, a ReLU or a plain layer.

    ## Why it is bad
    A float32 softmax or sigmoid reaches exactly 0 or 1 when a score is large enough: the logarithm is minus infinity, and from then on the loss and
    all weights are NaN. A layer without an activation gives negative numbers at once.

    ## Bad
        with tf.compat.v1.Session() as session:
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.compat.v1.placeholder(tf.float32, [None, 10])
            chances = tf.nn.softmax(scores)
            loss = -tf.reduce_sum(labels * tf.math.log(chances))

    ## Good
        with tf.compat.v1.Session() as session:
            labels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            scores = tf.compat.v1.placeholder(tf.float32, [None, 10])
            loss = tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=scores))
    """
    for call in source.calls("tf.log", "tf.math.log"):
        given = source.argument(call, 0, "x")
        away = given
        if (
            isinstance(given, ast.BinOp)
            and isinstance(given.op, ast.Sub)
            and source.number(given.left) == 1
        ):
            away = given.right  # 1 - sigmoid(x)
        found = source.origins.activation(away)
        if found in REACHING and _is_of_a_model(source, away, found):
            yield Finding(
                f"{REACHING[found]}: then the logarithm is not finite, and the weights become NaN.",
                remedies=(
                    Remedy(
                        "Use a loss that takes logits (tf.nn.softmax_cross_entropy_with_logits, tf.nn.log_softmax), or tf.clip_by_value(x, 1e-7, 1.0)."
                    ),
                ),
                where=source.place(call),
            )


def _is_of_a_model(source: Source, node: ast.expr | None, found: str) -> bool:
    """Whether the numbers change while a model learns: of weights or of what is fed."""
    weights = WEIGHTS - {"tf.placeholder"} if found == "none" else WEIGHTS
    return source.origins.needs(node, weights)
