"""The program ended itself with a status that is not 0."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D901",
    since="0.1",
    searched=(
        "exit code 1",
        "process exited with code 1 and no traceback",
        "SystemExit python no error message",
    ),
)
def exited_by_program(evidence: Evidence) -> Iterator[Finding]:
    """The program ended itself with a status that means failure.

    ## What happened
    Code of the program (or of a library it called) decided to end: `sys.exit(3)`, `raise SystemExit`, `exit()` in a shell script.
    Nothing killed it.

    ## How we know
    It exited cleanly with that status, and the call of `sys.exit` was seen; or only one line of the program raises
    `SystemExit` with that status.

    ## What to do
    Look at the condition above the named line.
    """
    code = evidence.run.ending.exit_code
    if evidence.run.ending.kind is not EndingKind.EXIT or not code or evidence.run.fatal_signal:
        return
    call = evidence.exits.last("sys.exit")
    if call is not None:
        text = f" with the message {call.code!r}" if isinstance(call.code, str) else ""
        yield Finding(
            f"The program called sys.exit and ended with status {code}{text}{call.words}.",
            (
                Fact("call", f"{call.call}({call.code!r})", "recorded in the program"),
                *evidence.exits.facts_before(call),
                *evidence.run.because(RUN_TIME),
            ),
            Confidence.PROVEN,
            (Remedy("Find out why this line was reached."),),
            where=call.own,
        )
        return
    call = evidence.exits.last("raise SystemExit")
    if call is not None:
        yield Finding(
            f"The program raised SystemExit and ended with status {code}.",
            (
                Fact("call", f"{call.call}({call.code!r})", "the only matching line of its source"),
                *evidence.run.because(RUN_TIME),
            ),
            Confidence.LIKELY,
            (Remedy("Find out why this line was reached."),),
            where=call.own,
        )
    elif evidence.run.program.finished or not evidence.run.program.python:
        yield Finding(
            f"The program ended itself with status {code}.",
            evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
            Confidence.LIKELY,
            (Remedy("Find the code that exits with this status, and check its last messages."),),
        )
