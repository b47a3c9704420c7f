"""os._exit leaves everything as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R502", since="0.1", needs=("_exit",), prevents=("exited-without-cleanup",))
def exit_without_cleanup(source: Source) -> Iterator[Finding]:
    """`os._exit` ends the program without writing what is still in buffers.

    ## Why it is bad
    Nothing is flushed, and nothing is reported: the last lines of the log, the summaries and the checkpoint that is
    being written are lost, and the program looks as if it had been killed. It is right in a child after `os.fork`. In a
    thread, where `sys.exit` ends only the thread, it may be right, and the finding is less certain.

    ## Bad
        if loss > 100:
            os._exit(1)

    ## Good
        if loss > 100:
            sys.exit(1)
    """
    if any(True for _ in source.calls("os.fork", "os.forkpty", "pty.fork")):
        return  # there it is how a child ends
    for call in source.calls("os._exit"):
        meant = _runs_beside_the_program(source, call)
        yield Finding(
            "`os._exit` ends the program at once: what is in buffers is lost.",
            confidence=Confidence.POSSIBLE if meant else Confidence.LIKELY,
            remedies=(Remedy("Use sys.exit(status), or raise SystemExit(status)."),),
            where=source.place(call),
        )


def _runs_beside_the_program(source: Source, call: ast.Call) -> bool:
    """In what a thread or a process runs, or a signal calls."""
    function = source.tree.function(call)
    if not isinstance(function, ast.FunctionDef):
        return False
    around = source.tree.class_of(function)
    bases = [source.segment(base) for base in around.bases] if around else []
    if function.name == "run" and any(base.endswith(("Thread", "Process")) for base in bases):
        return True
    given = [word.value for word in source.every(ast.keyword) if word.arg == "target"]
    given += [
        handler.args[1] for handler in source.calls("signal.signal") if len(handler.args) == 2
    ]
    return any(_last_word(word) == function.name for word in given)


def _last_word(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""
