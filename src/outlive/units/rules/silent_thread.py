"""A thread that hides its errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

EVERYTHING = ("builtins.Exception", "builtins.BaseException")


@rule("R406", since="0.1", needs=("Thread",), prevents=("background-error-lost", "waiting-forever"))
def silent_thread(source: Source) -> Iterator[Finding]:
    """A thread catches every error and reports none.

    ## Why it is bad
    The thread ends or skips its work silently, and whoever waits for its queue waits forever.

    ## Bad
        def feed():
            try:
                while True:
                    queue.put(next(batches))
            except Exception:
                pass

        threading.Thread(target=feed).start()

    ## Good
        def feed():
            try:
                while True:
                    queue.put(next(batches))
            except StopIteration:
                queue.put(None)

        threading.Thread(target=feed).start()
    """
    for call in source.calls("threading.Thread"):
        function = source.names.definition(source.argument(call, 1, "target"))
        if function is None:
            continue
        for handler in source.tree.inside(function, ast.ExceptHandler):
            silent = all(isinstance(step, ast.Pass | ast.Continue) for step in handler.body)
            everything = handler.type is None or source.called(handler.type) in EVERYTHING
            if silent and everything and source.tree.function(handler) is function:
                yield Finding(
                    "A thread catches every error here and says nothing.",
                    remedies=(
                        Remedy("Log it (logging.exception), or pass it on: queue.put(error)."),
                    ),
                    where=source.place(handler),
                )
