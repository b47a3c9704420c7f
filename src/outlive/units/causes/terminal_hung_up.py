"""The terminal went away."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME
from outlive.model.findings import Confidence, EndedBy, Finding, Remedy
from outlive.model.sender_names import keeps_a_terminal
from outlive.units.unit import cause


@cause(
    "D203",
    since="0.1",
    searched=(
        "training stops when ssh disconnects",
        "python killed when terminal is closed",
        "exit code 129",
        "SIGHUP python",
    ),
)
def terminal_hung_up(evidence: Evidence) -> Iterator[Finding]:
    """The terminal was closed, or the connection to it was lost, and that ended the program.

    ## What happened
    When a terminal window is closed or an SSH connection breaks, everything that runs in it gets SIGHUP, which ends it.

    ## How we know
    The program was killed by SIGHUP, and Linux or the shell of that terminal sent it.

    ## What to do
    Start long work where it does not depend on a window: in tmux or screen, with nohup, or as a batch job.
    """
    if evidence.run.fatal_signal != "SIGHUP":
        return
    got = evidence.signals.sender_of("SIGHUP")
    if got is not None and (got.itself or (got.from_process and not keeps_a_terminal(got.sender))):
        return
    if got is None:
        sure = Confidence.LIKELY if evidence.run.program.on_terminal else Confidence.POSSIBLE
    else:
        sure = Confidence.PROVEN if got.sender_pid is None else Confidence.LIKELY
    yield Finding(
        "The program's terminal was closed or its connection was lost (SIGHUP).",
        (
            *evidence.signals.facts_of_sender(got),
            *evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
        ),
        sure,
        (
            Remedy("Run it in a persistent session.", ("tmux new -s work", "outlive run train.py")),
            Remedy("Or detach it from the terminal.", ("nohup outlive run train.py &",)),
        ),
        by=EndedBy.PROCESS if got is not None and got.sender_pid is not None else None,
    )
