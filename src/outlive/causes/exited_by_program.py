"""The program ended itself with a status that is not 0."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.unit import cause


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
    """The program ended itself, with a status that tells of failure.

    ## What happened
    Code of the program (or of a library it called) decided to end: `sys.exit(3)`, `raise SystemExit`, `exit()` in a shell script.
    Nothing killed it.

    ## How we know
    It left in good order with that exit status, and the call of `sys.exit` was seen; or only one line of the program raises
    `SystemExit` with that status.

    ## What to do
    Look at the condition above the named line.
    """
    code = evidence.ending.exit_code
    if evidence.ending.kind is not EndingKind.EXIT or not code or evidence.fatal_signal:
        return
    call = evidence.last_quit("sys.exit")
    if call is not None:
        text = f" with the message {call.code!r}" if isinstance(call.code, str) else ""
        yield Finding(
            f"The program called sys.exit and ended with status {code}{text}{call.words}.",
            (
                Fact("call", f"{call.call}({call.code!r})", "seen in the program"),
                *evidence.facts_before_quitting(call),
                *evidence.because("run time"),
            ),
            Confidence.PROVEN,
            (Remedy("See why this line was reached."),),
            where=call.own,
        )
        return
    call = evidence.last_quit("raise SystemExit")
    if call is not None:
        yield Finding(
            f"The program raised SystemExit and ended with status {code}.",
            (
                Fact(
                    "call", f"{call.call}({call.code!r})", "the only line of its source that fits"
                ),
                *evidence.because("run time"),
            ),
            Confidence.LIKELY,
            (Remedy("See why this line was reached."),),
            where=call.own,
        )
    elif evidence.program.finished or not evidence.program.python:
        yield Finding(
            f"The program ended itself with status {code}.",
            evidence.because("run time", "last line seen"),
            Confidence.LIKELY,
            (
                Remedy(
                    "Look for the place that ends it with this status, and at its last messages."
                ),
            ),
        )
