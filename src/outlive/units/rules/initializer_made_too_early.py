"""Variables that are made after the operation which gives them their first values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, Step
from outlive.units.unit import rule

INITIALIZERS = ("tf.global_variables_initializer", "tf.initialize_all_variables")
MAKERS = (
    "tf.Variable",
    "tf.get_variable",
    "tf.layers.dense",
    "tf.layers.conv2d",
    "tf.layers.batch_normalization",
)
#: Optimizers that keep variables of their own for each weight.
WITH_SLOTS = ("AdamOptimizer", "MomentumOptimizer", "RMSPropOptimizer", "AdagradOptimizer", "AdadeltaOptimizer", "FtrlOptimizer")  # fmt: skip
#: Who has one of these gives first values in another way, or has more than one graph.
OTHER_WAYS = ("Graph(", "reset_default_graph", ".restore(", ".initializer", "variables_initializer([", "uninitialized", "is_variable_initialized", "Supervisor", "Monitored")  # fmt: skip


@rule(
    "R640",
    since="0.2",
    needs=(
        "initializer",
        "initialize_all_variables",
    ),
    prevents=("uncaught-exception",),
)
def initializer_made_too_early(source: Source) -> Iterator[Finding]:
    """The operation that initializes all variables is made before some of the variables.

    ## Why it is bad
    `global_variables_initializer` covers the variables that exist when it is called. An optimizer such as Adam makes variables of its own in
    `minimize`. What is made later has no value when it is used: "Attempting to use uninitialized value".

    ## Bad
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            start = tf.compat.v1.global_variables_initializer()
            train = tf.compat.v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(weights))
            session.run(start)
            session.run(train)

    ## Good
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            train = tf.compat.v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(weights))
            start = tf.compat.v1.global_variables_initializer()
            session.run(start)
            session.run(train)
    """
    if any(word in source.text for word in OTHER_WAYS):
        return
    steps = source.steps
    starts = [n for n, step in enumerate(steps) if source.called(step.call.func) in INITIALIZERS]
    makes = [
        n for n, step in enumerate(steps) if not step.branch and _makes_variables(source, step)
    ]
    if not starts or not makes or starts[-1] > makes[-1]:
        return
    call = steps[starts[-1]].call
    late = next(steps[n].call for n in makes if n > starts[-1])
    if not any(run.call.lineno for run in source.sessions.runs):
        return
    yield Finding(
        f"Line {source.place(late).line} makes variables after this line: they get no first value.",
        remedies=(Remedy("Call it after all variables and optimizers are made."),),
        where=source.place(call),
    )


def _makes_variables(source: Source, step: Step) -> bool:
    if source.called(step.call.func) in MAKERS:
        return True
    function = step.call.func
    if not isinstance(function, ast.Attribute) or function.attr not in (
        "minimize",
        "apply_gradients",
    ):
        return False
    made = source.origins.made_by(function.value, step.frame)
    return bool(made) and all(it.rpartition(".")[2] in WITH_SLOTS for it in made)
