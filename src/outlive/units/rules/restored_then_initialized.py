"""Restored weights that are written over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, Step
from outlive.units.unit import rule


@rule(
    "R677",
    since="0.2",
    needs=("restore",),
    prevents=("uncaught-exception",),
)
def restored_then_initialized(source: Source) -> Iterator[Finding]:
    """The initializer of all variables runs after a checkpoint was restored.

    ## Why it is bad
    It gives every variable its first value again: what was restored is gone, and the model knows nothing.

    ## Bad
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            saver = tf.compat.v1.train.Saver()
            saver.restore(session, "model.ckpt")
            session.run(tf.compat.v1.global_variables_initializer())
            print(session.run(weights))

    ## Good
        with tf.compat.v1.Session() as session:
            weights = tf.compat.v1.get_variable("weights", [3])
            saver = tf.compat.v1.train.Saver()
            session.run(tf.compat.v1.global_variables_initializer())
            saver.restore(session, "model.ckpt")
            print(session.run(weights))
    """
    if any(
        word in source.text
        for word in ("Graph(", "reset_default_graph", "Session(graph", "partial")
    ):
        return
    restored: Step | None = None
    initialized: Step | None = None
    for step in source.steps:
        word = step.call.func.attr if isinstance(step.call.func, ast.Attribute) else ""
        if word == "restore" and source.origins.made_by(
            getattr(step.call.func, "value", None), step.frame
        ) == {"tf.train.Saver"}:
            restored, initialized = (step, None) if not step.branch else (None, None)
        if (
            word == "run"
            and restored is not None
            and not step.branch
            and _initializes(source, step)
        ):
            initialized = step
    if initialized is not None:
        yield Finding(
            "This gives all variables their first values again: what was restored before is lost.",
            remedies=(
                Remedy(
                    "Restore after it, or leave it out: a restored variable needs no first value."
                ),
            ),
            where=source.place(initialized.call),
        )


def _initializes(source: Source, step: Step) -> bool:
    given = step.call.args[0] if step.call.args else None
    made = source.origins.made_by(given, step.frame)
    session = source.sessions.is_session(
        getattr(step.call.func, "value", step.call.func), step.frame
    )
    return (
        session
        and bool(made)
        and made <= {"tf.global_variables_initializer", "tf.initialize_all_variables"}
    )
