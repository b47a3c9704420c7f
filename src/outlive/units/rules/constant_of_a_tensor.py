"""A constant that is made of a tensor of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R649",
    since="0.2",
    needs=("constant",),
    prevents=("uncaught-exception",),
    behind=("dtypes-do-not-fit",),
)
def constant_of_a_tensor(source: Source) -> Iterator[Finding]:
    """`tf.constant` gets a tensor of a graph, which has no value yet.

    ## Why it is bad
    A constant is written into the graph when it is made; a tensor of the graph is worked out when the graph runs. The line ends with
    `TypeError`.

    ## Bad
        with tf.compat.v1.Session() as session:
            width = tf.compat.v1.placeholder(tf.int32, [])
            double = tf.constant(width + width)
            print(session.run(double, feed_dict={width: 2}))

    ## Good
        with tf.compat.v1.Session() as session:
            width = tf.compat.v1.placeholder(tf.int32, [])
            double = tf.identity(width + width)
            print(session.run(double, feed_dict={width: 2}))
    """
    for call in source.calls("tf.constant"):
        value = source.argument(call, 0, "value")
        sides = [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
        if source.is_caught(call) or not any(_is_of_a_graph(source, side, call) for side in sides):
            continue
        yield Finding(
            "`tf.constant` takes data, and this is a tensor of the graph: the line ends with TypeError.",
            remedies=(
                Remedy("Use the tensor as it is, tf.identity(tensor), or tf.Variable(tensor)."),
            ),
            where=source.place(call),
        )


def _is_of_a_graph(source: Source, node: ast.expr | None, call: ast.Call) -> bool:
    """Whether a value is a placeholder, or a tensor in a program of TensorFlow 1, where everything is in a graph."""
    if source.origins.placeholder(node) is not None:
        return True
    root = next(iter(source.origins.roots(node)), None)
    if root is None or not source.sessions.is_tensor(root) or not isinstance(root.node, ast.Call):
        return False
    written = source.names.written(call.func)
    return "compat" not in written and any(
        "compat" not in source.names.written(session.func)
        for session in source.calls("tf.Session", "tf.InteractiveSession")
    )
