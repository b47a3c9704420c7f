"""A timer of the program ended it."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME
from outlive.model.findings import Confidence, EndedBy, Finding, Remedy
from outlive.units.unit import cause

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
    `signal.alarm` and `signal.setitimer` send a signal when the time is up. Without a handler it ends the program:
    "Alarm clock". Often the timer guards one step and is not cancelled after it, so it goes off later, in code that has
    nothing to do with it.

    ## How we know
    The program was killed by the timer's signal and no other process sent it. The line is the one that set the timer,
    when that was seen; the fact "last line seen" names where it went off.

    ## What to do
    Cancel the timer when the guarded step is done (`signal.alarm(0)` in a `finally`), or install a handler.
    """
    name = evidence.run.fatal_signal
    if name not in TIMERS:
        return
    got = evidence.signals.sender_of(name)
    if got is not None and got.from_process:
        return
    sure = Confidence.PROVEN if got is not None else Confidence.LIKELY
    timer = evidence.signals.timer_of(name)
    seconds = f" of {timer.seconds:g} s" if timer else ""
    yield Finding(
        f"A timer{seconds} ({TIMERS[name]}) was never cancelled and ended the program with {name}.",
        (
            *evidence.signals.facts_of_sender(got),
            *evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
        ),
        sure,
        (Remedy("Cancel it in a finally block after the step it guards: signal.alarm(0)."),),
        where=(timer.own if timer else None) or evidence.run.busy,
        by=EndedBy.ITSELF,
    )
