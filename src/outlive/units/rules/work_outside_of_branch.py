"""Work of one branch of `tf.cond` that is done whatever the condition says."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

CHANGING = frozenset({"assign", "assign_add", "assign_sub", "apply", "scatter_add", "scatter_update", "minimize", "apply_gradients"})  # fmt: skip


@rule(
    "R650",
    since="0.2",
    needs=("cond",),
    prevents=("uncaught-exception",),
)
def work_outside_of_branch(source: Source) -> Iterator[Finding]:
    """An operation that changes a variable is made outside the branch of `tf.cond` that waits for it.

    ## Why it is bad
    What is made outside of a branch runs whichever branch is taken: `tf.cond` only guards what its functions make themselves. A variable is then
    also changed when the other branch is taken.

    ## Bad
        with tf.compat.v1.Session() as session:
            training = tf.compat.v1.placeholder(tf.bool)
            total = tf.compat.v1.get_variable("total", [])
            update = total.assign_add(1.0)

            def updated():
                with tf.control_dependencies([update]):
                    return tf.identity(total)

            mean = tf.cond(training, updated, lambda: total)

    ## Good
        with tf.compat.v1.Session() as session:
            training = tf.compat.v1.placeholder(tf.bool)
            total = tf.compat.v1.get_variable("total", [])

            def updated():
                update = total.assign_add(1.0)
                with tf.control_dependencies([update]):
                    return tf.identity(total)

            mean = tf.cond(training, updated, lambda: total)
    """
    for call in source.calls("tf.cond"):
        for given in call.args[1:3]:
            function = source.names.definition(given)
            if not isinstance(function, ast.FunctionDef):
                continue
            for waits in source.tree.inside(function, ast.Call):
                if source.called(waits.func) != "tf.control_dependencies" or not waits.args:
                    continue
                for name in getattr(waits.args[0], "elts", ()):
                    root = next(iter(source.origins.roots(name)), None)
                    changes = (
                        root is not None
                        and isinstance(root.node, ast.Call)
                        and isinstance(root.node.func, ast.Attribute)
                        and root.node.func.attr in CHANGING
                    )
                    if (
                        root is not None
                        and changes
                        and source.tree.function(root.node) is not function
                    ):
                        yield Finding(
                            f"`{source.segment(name)}` is made outside of this branch, so it runs whichever branch is taken.",
                            remedies=(
                                Remedy(
                                    "Make the operation inside the function that tf.cond calls."
                                ),
                            ),
                            where=source.place(waits),
                        )
