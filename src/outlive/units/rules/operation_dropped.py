"""An operation that is made and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, Step
from outlive.units.unit import rule

MAKERS = ("tf.Variable", "tf.get_variable")
METHODS = frozenset(
    {"assign", "assign_add", "assign_sub", "minimize", "apply_gradients", "enqueue", "enqueue_many"}
)
FUNCTIONS = (
    "tf.assign",
    "tf.assign_add",
    "tf.assign_sub",
    "tf.Print",
    "tf.scatter_update",
    "tf.scatter_add",
)
#: Who has one of these finds operations by their names or collections, or runs eagerly in part.
OTHER_WAYS = (
    "get_collection",
    "get_operation_by_name",
    "UPDATE_OPS",
    "add_to_collection",
    "enable_eager",
    "GradientTape",
    ".numpy()",
    "autograph",
    "get_operations",
    "enable_v2",
    "train_op",
    "locals()",
)


@rule(
    "R675",
    since="0.2",
    needs=(
        "assign",
        "minimize",
        "Print",
        "enqueue",
    ),
    prevents=("uncaught-exception",),
)
def operation_dropped(source: Source) -> Iterator[Finding]:
    """A program of TensorFlow 1 makes an operation that changes something, and drops it.

    ## Why it is bad
    In a graph a line only describes what is to be done. An `assign` or a `minimize` that no `session.run` fetches and nothing depends on is never done, and
    no error says so.

    ## Bad
        with tf.compat.v1.Session() as session:
            total = tf.compat.v1.get_variable("total", [])
            total.assign(5.0)
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(total))

    ## Good
        with tf.compat.v1.Session() as session:
            total = tf.compat.v1.get_variable("total", [])
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(total.assign(5.0))
            print(session.run(total))
    """
    runs = [run.call for run in source.sessions.runs]
    if not runs or any(word in source.text for word in OTHER_WAYS):
        return
    for step in source.steps:
        statement = source.tree.statement(step.call)
        alone = isinstance(statement, ast.Expr) and statement.value is step.call
        if not _is_in_a_graph(source, step.call):
            continue
        if (alone or _is_never_read(source, statement, step)) and _changes(source, step):
            yield Finding(
                "This only describes the operation: nothing runs it, so it is never done.",
                remedies=(Remedy("Keep it and run it: op = …, then session.run(op)."),),
                where=source.place(step.call),
            )


def _is_in_a_graph(source: Source, call: ast.Call) -> bool:
    """Whether a line makes a graph: in a program of TensorFlow 1 each does, in one of TensorFlow 2 inside a `with` only."""
    sessions = source.calls("tf.Session", "tf.InteractiveSession")
    if not any("compat" in source.names.written(it.func) for it in sessions) or source.makes_graphs:
        return True
    return any(isinstance(above, ast.With) for above in source.tree.ancestors(call))


def _is_never_read(source: Source, statement: ast.stmt | None, step: Step) -> bool:
    """Whether the operation gets a name that nothing reads."""
    if not isinstance(statement, ast.Assign) or statement.value is not step.call:
        return False
    names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if len(names) != len(statement.targets):
        return False
    return not any(
        name.id in names and isinstance(name.ctx, ast.Load) for name in source.every(ast.Name)
    )


def _changes(source: Source, step: Step) -> bool:
    """Whether an operation changes a variable or a queue of the graph."""
    call = step.call
    if source.called(call.func) in FUNCTIONS:
        return True
    if (
        not isinstance(call.func, ast.Attribute)
        or call.func.attr not in METHODS
        or source.called(call.func)
    ):
        return False
    made = source.origins.made_by(call.func.value, step.frame)
    return bool(made) and all(it in MAKERS or it.endswith(("Optimizer", "Queue")) for it in made)
