"""A fetch that is no part of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Root, Source
from outlive.units.unit import rule


@rule(
    "R673",
    since="0.2",
    needs=("run(",),
    prevents=("uncaught-exception",),
)
def fetch_not_an_operation(source: Source) -> Iterator[Finding]:
    """A session is asked to run an optimizer, a function or a number instead of an operation.

    ## Why it is bad
    `run` fetches tensors and operations: "Fetch argument has invalid type". An optimizer becomes an operation by `minimize`, a function
    by being called.

    ## Bad
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
            train = optimizer.minimize(tf.reduce_sum(weights))
            session.run(tf.compat.v1.global_variables_initializer())
            session.run([train, optimizer])

    ## Good
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            train = tf.compat.v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(weights))
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(train)
    """
    for run in source.sessions.runs:
        if source.is_caught(run.call):
            continue
        for fetched in run.fetches:
            roots = source.origins.roots(fetched, run.frame)
            if roots and all(_is_no_part(source, root) for root in roots):
                yield Finding(
                    f"`{source.segment(fetched)}` is not a tensor or an operation: `run` ends with TypeError.",
                    remedies=(
                        Remedy(
                            "Fetch the operation: train = optimizer.minimize(loss), or the result of calling the function."
                        ),
                    ),
                    where=source.place(run.call),
                )


def _is_no_part(source: Source, root: Root) -> bool:
    """Whether a value is an optimizer, a saver, a function of the file, a number, or an array of NumPy."""
    called = source.origins.called(root)
    if (
        called.startswith("tf.train.") and called.endswith("Optimizer")
    ) or called == "tf.train.Saver":
        return root.part is None
    if isinstance(root.node, ast.Constant):
        return isinstance(root.node.value, int | float) or root.node.value is None
    if called.startswith("numpy."):
        return True
    return isinstance(root.node, ast.Name) and any(
        it.how == "definition" and isinstance(it.node, ast.FunctionDef)
        for it in source.names.bindings(root.node)
    )
