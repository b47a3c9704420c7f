"""A session that is closed while threads use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.source import Source, key_of
from outlive.unit import rule

SESSIONS = ("tf.Session", "tf.InteractiveSession")
WAITING = frozenset({"join", "result", "wait", "request_stop", "shutdown"})


@rule("R402", since="0.1", needs=("Session",), prevents=("session-closed", "operation-cancelled"))
def session_closed_under_threads(source: Source) -> Iterator[Finding]:
    """A session is closed while threads that were given it still run.

    ## Why it is bad
    Closing cancels what the threads are doing: they die with "Session has been closed" or `CancelledError`, in another place at every run.

    ## Bad
        with tf.compat.v1.Session() as session:
            worker = threading.Thread(target=serve, args=(session,))
            worker.start()

    ## Good
        with tf.compat.v1.Session() as session:
            worker = threading.Thread(target=serve, args=(session,))
            worker.start()
            worker.join()
    """
    for call in source.calls("threading.Thread"):
        given = [node for word in _given(call) for node in source.tree.inside(word, ast.Name)]
        for name in given:
            if source.values.made_by(name) not in SESSIONS:
                continue
            closing = _closing(source, call, name)
            if closing is not None and not _waits(source, closing, call):
                yield Finding(
                    f"`{name.id}` is closed while this thread may still use it.",
                    remedies=(
                        Remedy("Wait for the thread (worker.join()) before the session is closed."),
                    ),
                    where=source.place(call),
                )


def _given(call: ast.Call) -> Iterator[ast.expr]:
    for keyword in call.keywords:
        if keyword.arg in ("args", "kwargs"):
            yield keyword.value


def _closing(source: Source, call: ast.Call, name: ast.Name) -> ast.AST | None:
    """What closes the session: the `with` around the thread's start, or a `close()` below it."""
    bound = source.names.latest(name)
    if bound is not None and bound.how == "with":
        return bound.node
    for close in source.methods("close"):
        assert isinstance(close.func, ast.Attribute)
        if key_of(close.func.value) == name.id and close.lineno > call.lineno:
            return source.tree.function(close) or source.tree.module
    return None


def _waits(source: Source, block: ast.AST, call: ast.Call) -> bool:
    return any(
        isinstance(it.func, ast.Attribute) and it.func.attr in WAITING and it.lineno >= call.lineno
        for it in source.tree.inside(block, ast.Call)
    )
