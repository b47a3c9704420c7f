"""Operations are added to a graph at every turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FEWEST_TURNS = 20
SESSIONS = (
    "tf.Session",
    "tf.InteractiveSession",
    "tf.train.MonitoredTrainingSession",
    "tf.train.MonitoredSession",
)
CHANGING = frozenset({"assign", "assign_add", "assign_sub", "minimize", "initialized_value"})

#: Parts of `tf.` that make no operation.
NO_OPERATION = (
    "tf.RunOptions",
    "tf.RunMetadata",
    "tf.get_default_graph",
    "tf.gfile.",
    "tf.io.gfile.",
    "tf.train.Example",
)


@rule("R208", since="0.1", needs=("Session",), prevents=("graph-grows", "function-retraced"))
def graph_grown_in_loop(source: Source) -> Iterator[Finding]:
    """A loop adds operations to the graph that its session runs.

    ## Why it is bad
    In a graph each call of `tf.…` adds an operation that stays forever. Written inside `session.run(…)` in a loop it adds one in every iteration: each
    run gets slower, and the graph grows past its 2 GB or past the memory.

    ## Bad
        with tf.compat.v1.Session() as session:
            for step in range(10_000):
                session.run(tf.reduce_mean(weights))

    ## Good
        with tf.compat.v1.Session() as session:
            mean = tf.reduce_mean(weights)
            for step in range(10_000):
                session.run(mean)
    """
    for call in source.methods("run"):
        assert isinstance(call.func, ast.Attribute)
        if source.turns(call) < FEWEST_TURNS or not call.args:
            continue
        if source.values.made_by(call.func.value) not in SESSIONS:
            continue
        for made in source.tree.inside(call.args[0], ast.Call):
            dotted = source.called(made.func)
            word = made.func.attr if isinstance(made.func, ast.Attribute) else ""
            adds = dotted.startswith("tf.") and not dotted.startswith(NO_OPERATION)
            if adds or (not dotted and word in CHANGING):
                yield Finding(
                    f"`{source.segment(made.func)}` adds an operation to the graph in every iteration of this loop.",
                    remedies=(
                        Remedy(
                            "Create the operation once, above the loop, and run that; feed what changes."
                        ),
                        Remedy(
                            "Call tf.compat.v1.get_default_graph().finalize() before the loop: new operations then raise an error."
                        ),
                    ),
                    where=source.place(made),
                )
                break
