"""Operations are added to a graph at every turn."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Root, Source
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


#: Whoever has one of these may make a new graph in each iteration.
OTHER_GRAPHS = ("Graph(", "reset_default_graph", "clear_session")


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
    told: set[ast.AST] = set()
    for made, loop in _made_beside_runs(source):
        told.add(loop)
        yield _finding(source, made)
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
                if not told & set(source.loops(call)):
                    yield _finding(source, made)
                break


def _finding(source: Source, made: ast.Call) -> Finding:
    return Finding(
        f"`{source.segment(made.func)}` adds an operation to the graph in every iteration of this loop.",
        remedies=(
            Remedy("Create the operation once, above the loop, and run that; feed what changes."),
            Remedy(
                "Call tf.compat.v1.get_default_graph().finalize() before the loop: new operations then raise an error."
            ),
        ),
        where=source.place(made),
    )


def _made_beside_runs(source: Source) -> Iterator[tuple[ast.Call, ast.AST]]:
    """The first operation that is made in each loop in which a session runs, also by functions that the loop calls."""
    if any(word in source.text for word in OTHER_GRAPHS):
        return
    running = {loop for run in source.sessions.runs for loop in run.loops}
    seen: set[ast.AST] = set()
    for step in source.steps:
        loop = next((it for it in step.loops if it in running), None)
        if loop is None or loop in seen or step.branch:
            continue
        turns = math.prod(source.turns_of(it) for it in step.loops if it in running)
        adds = (
            source.sessions.is_tensor(Root(step.call))
            or source.called(step.call.func) == "tf.group"
        )
        if adds and turns >= FEWEST_TURNS:
            seen.add(loop)
            yield step.call, loop
