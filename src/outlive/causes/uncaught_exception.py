"""An exception that nobody caught, and no more specific cause."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause


@cause(
    "D900",
    since="0.1",
    searched=(
        "Traceback (most recent call last)",
        "python exception ends program",
        "exit code 1",
    ),
)
def uncaught_exception(evidence: Evidence) -> Iterator[Finding]:
    """An exception that nobody caught ended the program.

    ## What happened
    Python printed a traceback and ended with status 1. The message is in the verdict; the line is the innermost one of your own code,
    not the library's.

    ## How we know
    Python keeps the exception that ended the main thread; the recorder wrote it down with its causes.

    ## What to do
    Read the message, then the line. If the message speaks of a cause, that one is the place to begin.
    """
    error = evidence.uncaught
    if error is None or not evidence.failed or evidence.ending.signal:
        return
    root = error.chain()[-1]
    lines = [line.strip() for line in error.message.splitlines() if line.strip()]
    # "in user code:" and its like announce a traceback; the words are at its end.
    message = (lines[-1] if lines and lines[0].endswith(":") else "".join(lines[:1]))[:300]
    if error.members:
        message = f"{message}: {'; '.join(error.members)}"[:300]
    facts = [
        Fact("exception", f"{error.type}: {message}" if message else error.type, "the program")
    ]
    if root is not error:
        last_words = (
            root.message.strip().strip('"').strip().splitlines()[-1:]
        )  # of a worker's traceback
        facts.append(Fact("caused by", f"{root.type}: {''.join(last_words)[:200]}", "the program"))
    facts += [Fact("note", note[:200], "the program") for note in error.notes]
    yield Finding(
        f"{error.type.rpartition('.')[2]}: {message}" if message else f"{error.type} was raised.",
        (*facts, *evidence.because("run time")),
        Confidence.PROVEN,
        (Remedy("Start at this line; the traceback above it tells how it was reached."),),
        where=error.own,
    )
