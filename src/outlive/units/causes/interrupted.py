"""The program ended because somebody pressed Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.events import Received
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME
from outlive.model.findings import Confidence, EndedBy, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D204",
    since="0.1",
    behind=("uncaught-exception",),
    searched=(
        "KeyboardInterrupt",
        "exit code 130",
        "SIGINT python stopped by itself",
    ),
)
def interrupted(evidence: Evidence) -> Iterator[Finding]:
    """The program was interrupted: Ctrl-C, the stop button, or a SIGINT from another process.

    ## What happened
    SIGINT reached the program; Python raised `KeyboardInterrupt` at the line that was running, and nobody caught it.

    ## How we know
    The program was killed by SIGINT (or SIGQUIT from the keyboard), or with an uncaught `KeyboardInterrupt`.

    ## What to do
    Nothing, if it was you. If the program seemed to hang, the named line is where it was.
    """
    uncaught = evidence.errors.uncaught
    by_exception = uncaught is not None and uncaught.is_a("KeyboardInterrupt")
    name = evidence.run.fatal_signal
    got = evidence.signals.sender_of(name or "SIGINT")
    if name == "SIGQUIT" and (got is None or got.sender_pid is not None):
        return
    if name not in ("SIGINT", "SIGQUIT") and not (by_exception and evidence.run.failed):
        return
    where = (uncaught.own if by_exception and uncaught else None) or evidence.run.busy
    if got is None:
        who = "The program was interrupted"
    elif got.sender_pid is None:
        who = "The program was interrupted from the keyboard"
    elif got.itself:
        who = "The program interrupted itself"
    else:
        who = f"{evidence.signals.words_for_sender(got)} interrupted the program"
    yield Finding(
        f"{who} ({name or 'KeyboardInterrupt'}).",
        (
            *evidence.signals.facts_of_sender(got),
            *evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
        ),
        Confidence.PROVEN,
        (Remedy("If it was stuck rather than slow, check the line where it was."),),
        where=where,
        by=_who(got),
    )


def _who(got: Received | None) -> EndedBy | None:
    """A person at the keyboard is neither the program nor a process."""
    if got is not None and got.from_another:
        return EndedBy.PROCESS
    return EndedBy.ITSELF if got is None or got.itself else None
