"""A timer of the program ended it."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndedBy, Finding, Remedy
from outlive.unit import cause

TIMERS = {
    "SIGALRM": "signal.alarm or ITIMER_REAL",
    "SIGVTALRM": "ITIMER_VIRTUAL",
    "SIGPROF": "ITIMER_PROF",
}


@cause(
    "D205",
    since="0.1",
    searched=(
        "Alarm clock",
        "exit code 142",
        "SIGALRM kills python program",
    ),
)
def alarm_not_cancelled(evidence: Evidence) -> Iterator[Finding]:
    """A timer that the program had set went off, and nothing handled it.

    ## What happened
    `signal.alarm` and `signal.setitimer` send a signal when the time is up. Without a handler it ends the program: "Alarm clock".
    Often the timer guards one step and is not cancelled after it, so it strikes later, somewhere innocent.

    ## How we know
    The program ended by the timer's signal and no other process sent it. The line is the one that set the timer, when that was
    seen; it struck where "last line seen" says.

    ## What to do
    Cancel the timer when the guarded step is done (`signal.alarm(0)` in a `finally`), or install a handler.
    """
    name = evidence.fatal_signal
    if name not in TIMERS:
        return
    got = evidence.sender_of(name)
    if got is not None and got.from_process:
        return
    sure = Confidence.PROVEN if got is not None else Confidence.LIKELY
    timer = evidence.timer_of(name)
    seconds = f" of {timer.seconds:g} s" if timer else ""
    yield Finding(
        f"A timer{seconds} ({TIMERS[name]}) that was not cancelled ended the program with {name}.",
        (*evidence.facts_of_sender(got), *evidence.because("run time", "last line seen")),
        sure,
        (Remedy("Cancel it after the step it guards: signal.alarm(0), in a finally."),),
        where=(timer.own if timer else None) or evidence.busy,
        by=EndedBy.ITSELF,
    )
