"""A `with` of control dependencies in which nothing is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

MAKING = (
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Subscript,
    ast.With,
    ast.ListComp,
    ast.BoolOp,
)


@rule(
    "R676",
    since="0.2",
    needs=("control_dependencies",),
    prevents=("uncaught-exception",),
)
def dependency_on_nothing_new(source: Source) -> Iterator[Finding]:
    """The body of `tf.control_dependencies` makes no operation, so nothing waits.

    ## Why it is bad
    Only operations that are made inside the `with` wait for those that are named. A tensor that was made before stays as it is: the update is never
    done.

    ## Bad
        with tf.compat.v1.Session() as session:
            total = tf.compat.v1.get_variable("total", [])
            mean = total / 2.0
            update = total.assign_add(1.0)
            with tf.control_dependencies([update]):
                result = mean
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(result))

    ## Good
        with tf.compat.v1.Session() as session:
            total = tf.compat.v1.get_variable("total", [])
            update = total.assign_add(1.0)
            with tf.control_dependencies([update]):
                result = total / 2.0
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(result))
    """
    for entered in source.every(ast.With):
        calls = [it.context_expr for it in entered.items if isinstance(it.context_expr, ast.Call)]
        waits = [call for call in calls if source.called(call.func) == "tf.control_dependencies"]
        if not waits or len(entered.items) != 1:
            continue
        made = [node for it in entered.body for node in ast.walk(it) if isinstance(node, MAKING)]
        plain = all(isinstance(it, ast.Assign | ast.Return) for it in entered.body)
        if plain and not made:
            yield Finding(
                "Nothing is made inside this `with`, so nothing waits for what it names.",
                remedies=(Remedy("Make the tensor inside, or write tf.identity(tensor) there."),),
                where=source.place(waits[0]),
            )
