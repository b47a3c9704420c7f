"""An exception that nobody caught, and no more specific cause."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.units.unit import cause


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
    """An uncaught exception ended the program.

    ## What happened
    Python printed a traceback and ended with status 1. The message is in the verdict; the line is the innermost one of your own code,
    not the library's.

    ## How we know
    Python keeps the exception that ended the main thread; the recorder wrote it down with its causes.

    ## What to do
    Read the message, then the line. If the message names another exception as its cause, begin with that one.

    `No module named 'tensorflow'`, although it is installed: Outlive was installed apart (pipx, `uv tool`, `uvx`) and runs a script with
    its own Python. Name yours: `outlive run -- /path/to/environment/bin/python train.py`.
    """
    error = evidence.errors.uncaught
    if error is None or not evidence.run.failed or evidence.run.ending.signal:
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
    raiser = evidence.errors.raiser(error)
    if error.raised_again and raiser:
        facts.append(Fact("raised in", raiser, "the exception"))
    facts += [Fact("note", note[:200], "the program") for note in error.notes]
    yield Finding(
        f"{error.type.rpartition('.')[2]}: {message}" if message else f"{error.type} was raised.",
        (*facts, *evidence.run.because(RUN_TIME)),
        Confidence.PROVEN,
        (
            _other_python(evidence)
            or Remedy("Start at this line; the traceback shows how it was reached."),
        ),
        where=error.own,
    )


def _other_python(evidence: Evidence) -> Remedy | None:
    """Name the Python that has the missing module, if Outlive ran the program with its own instead."""
    python = evidence.circumstances.other_python
    if not python:
        return None
    command = shlex.join([python, *evidence.run.program.command[1:]])
    return Remedy(
        f"Outlive used its own Python, which does not have this module; {python} does. Use that one:",
        (f"outlive run -- {command}",),
    )
