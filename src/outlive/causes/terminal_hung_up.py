"""The terminal went away."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndedBy, Finding, Remedy
from outlive.senders import keeps_a_terminal
from outlive.unit import cause


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
    """The terminal was closed, or the connection to it was lost, and took the program with it.

    ## What happened
    When a terminal window is closed or an SSH connection breaks, everything that runs in it gets SIGHUP, which ends it.

    ## How we know
    The program ended by SIGHUP, and the kernel or the shell of that terminal sent it.

    ## What to do
    Start long work so that it does not depend on a window: in tmux or screen, with nohup, or as a job.
    """
    if evidence.fatal_signal != "SIGHUP":
        return
    got = evidence.sender_of("SIGHUP")
    if got is not None and (got.itself or (got.from_process and not keeps_a_terminal(got.sender))):
        return
    if got is None:
        sure = Confidence.LIKELY if evidence.program.on_terminal else Confidence.POSSIBLE
    else:
        sure = Confidence.PROVEN if got.sender_pid is None else Confidence.LIKELY
    yield Finding(
        "The terminal of the program was closed or its connection was lost (SIGHUP).",
        (*evidence.facts_of_sender(got), *evidence.because("run time", "last line seen")),
        sure,
        (
            Remedy("Run it in a session that stays.", ("tmux new -s work", "outlive run train.py")),
            Remedy("Or detach it from the terminal.", ("nohup outlive run train.py &",)),
        ),
        by=EndedBy.PROCESS if got is not None and got.sender_pid is not None else None,
    )
