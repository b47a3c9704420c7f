"""A session that is closed while threads use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, key_of
from outlive.units.unit import rule

SESSIONS = ("tf.Session", "tf.InteractiveSession")
WAITING = frozenset({"join", "result", "wait", "request_stop", "shutdown"})


@rule("R402", since="0.1", needs=("Session",), prevents=("session-closed", "operation-cancelled"))
def session_closed_under_threads(source: Source) -> Iterator[Finding]:
    """A session is closed while threads that were given it still run.

    ## Why it is bad
    Closing cancels what the threads are doing: they die with "Session has been closed" or `CancelledError`, at a
    different line in every run.

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
        for name in _sessions(source, call):
            if _is_closed_before_the_end(source, call, name):
                yield Finding(
                    f"`{name.id}` is closed while this thread may still use it.",
                    remedies=(
                        Remedy("Wait for the thread (worker.join()) before closing the session."),
                    ),
                    where=source.place(call),
                )


def _sessions(source: Source, call: ast.Call) -> list[ast.Name]:
    """The sessions that a thread is given, or that its function takes from around it."""
    given: list[ast.AST] = [word.value for word in call.keywords if word.arg in ("args", "kwargs")]
    function = source.names.definition(source.argument(call, 1, "target"))
    if function is not None:
        given.append(function)
    found: dict[str, ast.Name] = {}
    for name in (name for part in given for name in source.tree.inside(part, ast.Name)):
        if isinstance(name.ctx, ast.Load) and source.values.made_by(name) in SESSIONS:
            found.setdefault(name.id, name)
    return list(found.values())


def _is_closed_before_the_end(source: Source, call: ast.Call, name: ast.Name) -> bool:
    """By the end of a `with` around the thread's start, or by a `close()` below it, and nobody waits in between."""
    for binding in source.names.bindings(name):
        if binding.how == "with" and binding.node in set(source.tree.ancestors(call)):
            return not _waits(source, call.lineno, binding.node.end_lineno or 0)  # type: ignore[attr-defined]
    for close in source.methods("close"):
        assert isinstance(close.func, ast.Attribute)
        here = source.tree.function(close) is source.tree.function(call)
        if here and key_of(close.func.value) == name.id and close.lineno > call.lineno:
            return not _waits(source, call.lineno, close.lineno)
    return False


def _waits(source: Source, first: int, last: int) -> bool:
    return any(first <= it.lineno <= last for it in source.methods(*WAITING))
