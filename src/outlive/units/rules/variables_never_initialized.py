"""Variables that never get their first values."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

MAKERS = ("tf.Variable", "tf.get_variable", "tf.layers.dense", "tf.layers.conv2d")
SESSIONS = ("tf.Session", "tf.InteractiveSession")
#: What a variable is given its first value by is not the initializer of a graph.
WORDS_OF_LAYERS = ("kernel_initializer", "bias_initializer", "weights_initializer", "initializer=")
#: Who has one of these gives first values in another way.
OTHER_WAYS = (
    "assign(",  # gives a value, too
    "initialize",
    "restore",
    "Supervisor",
    "Monitored",
    "managed_",
    "Estimator",
    ".load(",
    ".import_",
    "initializer",
)


@rule(
    "R641",
    since="0.2",
    needs=("Session",),
    prevents=("uncaught-exception",),
)
def variables_never_initialized(source: Source) -> Iterator[Finding]:
    """A session runs a program with variables, and nothing gives them their first values.

    ## Why it is bad
    In a graph a variable has no value until its initializer has run: the first run that reads one ends with "Attempting to use uninitialized
    value".

    ## Bad
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            print(session.run(weights))

    ## Good
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(weights))
    """
    text = source.text
    for word in WORDS_OF_LAYERS:
        text = text.replace(word, "")
    if any(word in text for word in OTHER_WAYS):
        return
    made = [
        step.call
        for step in source.steps
        if not step.branch and source.called(step.call.func) in MAKERS
    ]
    runs = [
        run.call
        for run in source.sessions.runs
        if made
        and any(source.origins.needs(it, frozenset(MAKERS), run.frame) for it in run.fetches)
    ]
    if not made or not runs or not any(source.calls(*SESSIONS)):
        return
    yield Finding(
        f"The variable of line {source.place(made[0]).line} has no value when this runs: nothing initializes it.",
        remedies=(Remedy("Run tf.compat.v1.global_variables_initializer() first, once."),),
        where=source.place(runs[0]),
    )
