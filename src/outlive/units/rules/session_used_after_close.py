"""A session that is used when it is closed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, key_of
from outlive.units.unit import rule

SESSIONS = ("tf.Session", "tf.InteractiveSession")


@rule("R401", since="0.1", needs=("Session",), prevents=("session-closed",))
def session_used_after_close(source: Source) -> Iterator[Finding]:
    """A session is used after it was closed.

    ## Why it is bad
    After `close`, or the end of a `with`, the session cannot be used again: "Attempted to use a closed Session".

    ## Bad
        with tf.compat.v1.Session() as session:
            session.run(train)
        print(session.run(loss))

    ## Good
        with tf.compat.v1.Session() as session:
            session.run(train)
            print(session.run(loss))
    """
    for call in source.methods("run"):
        assert isinstance(call.func, ast.Attribute)
        name = call.func.value
        bound = source.names.latest(name)
        if bound is None or source.values.made_by(name) not in SESSIONS:
            continue
        if source.tree.function(bound.node) is not source.tree.function(call):
            continue
        left = bound.how == "with" and bound.node not in set(source.tree.ancestors(call))
        if left or _was_closed(source, call, name, bound.at):
            yield Finding(
                f"`{key_of(name)}` is used after it was closed.",
                remedies=(Remedy("Do it before closing the session: inside the `with`."),),
                where=source.place(call),
            )


def _was_closed(source: Source, call: ast.Call, name: ast.expr, since: tuple[int, int]) -> bool:
    for close in source.methods("close"):
        assert isinstance(close.func, ast.Attribute)
        statement = source.tree.statement(close)
        if key_of(close.func.value) == key_of(name) and statement is not None:
            after_made = (close.lineno, close.col_offset) > since
            same = source.tree.function(close) is source.tree.function(call)
            if same and after_made and source.tree.always_before(statement, call):
                return True
    return False
