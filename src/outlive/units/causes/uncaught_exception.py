"""An exception that nobody caught, and no more specific cause."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.exception_advice import advice_on
from outlive.units.unit import cause

#: TensorFlow names the operation after the traceback of where it was made; the words are on the next line.
NODE = bounded(r"Node: '[^'\n]{1,300}'\Z")


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
    message = _words_of(error.message)
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
            or Remedy(
                advice_on(error, error.own.code if error.own else "")
                or "Start at this line; the traceback shows how it was reached."
            ),
        ),
        where=error.own,
    )


def _words_of(message: str) -> str:
    """The line of a message that says what happened.

    "in user code:" and its like announce a traceback, after which the words stand; TensorFlow 1 writes another one behind them.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines or not lines[0].endswith(":"):
        return "".join(lines[:1])[:300]
    node = next((at for at, line in enumerate(lines) if NODE.match(line)), None)
    if node is not None and node + 1 < len(lines):
        return lines[node + 1][:300]
    return lines[-1][:300]


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
