"""A name that stands for a tensor, and then for its value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Loop, Source, key_of
from outlive.units.unit import rule


@rule(
    "R646",
    since="0.2",
    needs=("run(",),
    prevents=("uncaught-exception",),
)
def fetch_overwritten(source: Source) -> Iterator[Finding]:
    """In a loop, a fetched tensor's name is bound to the value that comes back.

    ## Why it is bad
    In the second turn `run` is asked to fetch a number instead of a tensor, and ends with "Fetch argument has invalid type".

    ## Bad
        with tf.compat.v1.Session() as session:
            loss = tf.reduce_sum(tf.random.normal([3]))
            for step in range(10):
                loss = session.run(loss)
                print(loss)

    ## Good
        with tf.compat.v1.Session() as session:
            loss = tf.reduce_sum(tf.random.normal([3]))
            for step in range(10):
                value = session.run(loss)
                print(value)
    """
    for call in source.methods("run"):
        assert isinstance(call.func, ast.Attribute)
        statement = source.tree.statement(call)
        if not isinstance(statement, ast.Assign) or statement.value is not call or not call.args:
            continue
        if (
            not source.loops(call)
            or not source.sessions.is_session(call.func.value)
            or source.is_caught(call)
        ):
            continue
        fetched = (
            [call.args[0]]
            if isinstance(call.args[0], ast.Name)
            else getattr(call.args[0], "elts", [])
        )
        targets = [
            part for target in statement.targets for part in getattr(target, "elts", [target])
        ]
        again = {name.id for name in fetched if isinstance(name, ast.Name)} & {
            key_of(target) for target in targets
        }
        inner = source.loops(call)[0]
        again = {name for name in again if _bound_before(source, name, inner)}
        if again:
            yield Finding(
                f"In the second turn `{min(again)}` is no longer a tensor, and `run` ends with TypeError.",
                remedies=(
                    Remedy("Give the value a name of its own: loss_value = session.run(loss)."),
                ),
                where=source.place(call),
            )


def _bound_before(source: Source, name: str, loop: Loop) -> bool:
    """Whether nothing in the loop makes the tensor anew."""
    inside = [
        node
        for node in source.tree.inside(loop, ast.Name)
        if node.id == name and isinstance(node.ctx, ast.Store)
    ]
    return len(inside) == 1
