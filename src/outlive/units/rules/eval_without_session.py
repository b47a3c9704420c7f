"""An `eval` with no session to run it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

OTHER_WAYS = ("InteractiveSession", "default_session", "session.as_default", "sess.as_default", "managed_session", "Monitored", "__enter__", "test_session")  # fmt: skip


@rule(
    "R667",
    since="0.2",
    needs=("eval(",),
    prevents=("uncaught-exception",),
)
def eval_without_session(source: Source) -> Iterator[Finding]:
    """`eval` of a tensor is called outside the `with` of a session.

    ## Why it is bad
    `eval` uses the default session, and a session is the default one inside its `with` only: "Cannot evaluate tensor using `eval()`: No default
    session is registered".

    ## Bad
        with tf.Graph().as_default():
            total = tf.reduce_sum(tf.ones([3]))
            session = tf.compat.v1.Session()
            print(total.eval())

    ## Good
        with tf.Graph().as_default():
            total = tf.reduce_sum(tf.ones([3]))
            session = tf.compat.v1.Session()
            print(total.eval(session=session))
    """
    if any(word in source.text for word in OTHER_WAYS):
        return
    made = list(source.calls("tf.Session"))
    entered = [it.context_expr for entry in source.every(ast.With) for it in entry.items]
    if (
        not made
        or any(source.sessions.is_session(it) for it in entered)
        or any(_is_unknown(source, it) for it in entered)
    ):
        return
    for run in source.sessions.runs:
        assert isinstance(run.call.func, ast.Attribute)
        if (
            run.call.func.attr == "eval"
            and source.argument(run.call, 1, "session") is None
            and not source.is_caught(run.call)
        ):
            yield Finding(
                "No session is the default one here: `eval` ends with ValueError.",
                remedies=(
                    Remedy(
                        "Use session.run(tensor), eval(session=session), or `with tf.compat.v1.Session() as session:`."
                    ),
                ),
                where=source.place(run.call),
            )


def _is_unknown(source: Source, entered: ast.expr) -> bool:
    """Whether what is entered may be a session in a way that is not seen here."""
    return not source.values.made_by(entered)
