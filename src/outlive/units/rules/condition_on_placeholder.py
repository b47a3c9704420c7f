"""A Python `if` about a tensor of a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R644",
    since="0.2",
    needs=("placeholder",),
    prevents=("uncaught-exception",),
)
def condition_on_placeholder(source: Source) -> Iterator[Finding]:
    """A Python `if` or `while` asks about a placeholder, which has no value when the line runs.

    ## Why it is bad
    The line runs once, while the graph is made. TensorFlow 2 ends it with "Using a symbolic tf.Tensor as a Python bool is not allowed"; in
    TensorFlow 1 `x == 0` compared the objects and was always False, so that one branch is never in the graph.

    ## Bad
        with tf.compat.v1.Session() as session:
            training = tf.compat.v1.placeholder(tf.int32)
            if training == 1:
                rate = 0.5
            else:
                rate = 0.0

    ## Good
        with tf.compat.v1.Session() as session:
            training = tf.compat.v1.placeholder(tf.int32)
            rate = tf.cond(tf.equal(training, 1), lambda: 0.5, lambda: 0.0)
    """
    conditions: list[ast.If | ast.While | ast.IfExp] = [*source.every(ast.If)]
    conditions += [*source.every(ast.While), *source.every(ast.IfExp)]
    for node in conditions:
        asked = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
        sides = [asked]
        if isinstance(asked, ast.Compare):
            if any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in asked.ops):
                continue
            sides = [asked.left, *asked.comparators]
        named = [side for side in sides if isinstance(side, ast.Name)]
        if source.traced(node) or not any(source.origins.placeholder(side) for side in named):
            continue
        yield Finding(
            "The placeholder has no value when this line runs: the graph is made with one branch only.",
            remedies=(
                Remedy(
                    "Make the choice in the graph: tf.cond(condition, lambda: …, lambda: …) or tf.where."
                ),
            ),
            where=source.place(node.test),
        )
