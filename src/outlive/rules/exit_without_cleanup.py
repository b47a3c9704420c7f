"""os._exit leaves everything as it is."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.source import Source
from outlive.unit import rule


@rule("R502", since="0.1", needs=("_exit",), prevents=("exited-without-cleanup",))
def exit_without_cleanup(source: Source) -> Iterator[Finding]:
    """`os._exit` ends the program without writing what is still in buffers.

    ## Why it is bad
    Nothing is flushed and nobody is told: the last lines of the log, the summaries and the checkpoint that is being written are lost, and the program
    looks as if it had been killed. It is right only in a child after `os.fork`.

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
        yield Finding(
            "`os._exit` ends the program at once: what is in buffers is lost.",
            remedies=(Remedy("Use sys.exit(status), or raise SystemExit(status)."),),
            where=source.place(call),
        )
