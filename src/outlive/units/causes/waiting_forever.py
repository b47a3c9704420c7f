"""Waiting for what nobody will do."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D706",
    since="0.2",
    needs=("stacks", "waits"),
    behind=(
        "interrupted",
        "terminated-by-process",
        "killed-by-process",
        "uncaught-exception",
        "exited-by-program",
        "exited-without-cleanup",
    ),
    searched=(
        "queue.get blocks forever",
        "python hangs at join",
        "generator in from_generator blocks",
        "tensorflow training hangs",
    ),
)
def waiting_forever(evidence: Evidence) -> Iterator[Finding]:
    """The program waits for something that will never happen.

    ## What happened
    It waits for an item of a queue that nobody fills, for an event that nobody sets, for a thread that does not end, for the
    result of a task that nobody works on, or for a stage of a tf.data pipeline whose Python function does not return. All its other
    threads wait as well, so nothing will change by itself.

    ## How we know
    The program made no progress: almost no CPU time, no I/O, the same stacks. The stack of each thread was read. From
    the main thread, the chain of who waits for whom was followed to its end: that is the line named. A program that
    waits for input, for a connection, for another program or for a sleep to end is not reported.

    ## What to do
    Look at what should have done it, and how that ended. Wait with a timeout, and raise an error that says what is
    missing. Put the end marker into the queue in a `finally`, so that it arrives even if the producer fails.
    """
    stuck = evidence.waits.stuck
    if stuck is None or stuck.cycle():
        return
    ends = stuck.ends()
    if not ends or any(thread.timed or thread.from_outside for thread in ends):
        return
    waiting = next((thread for thread in ends if thread.place is not None), ends[0])
    main = stuck.main
    chain = [main] if main is not None and main is not waiting else []
    outsider = stuck.may_go_on()
    near = outsider is not None and outsider.pid == waiting.pid
    if near and not (outsider and outsider.is_sleeping):
        return  # a server: what it waits for may come with the next connection
    if waiting.is_vague or (near and waiting.holder_is_unknown):
        return
    sure = Confidence.LIKELY if outsider is None else Confidence.POSSIBLE
    alone = (
        "no other thread is left that could wake it"
        if outsider is None
        else f"of the others only {outsider.stack.thread} may still continue: it is waiting for {outsider.what}"
    )
    leads = f" The main thread is waiting for {main.what}." if chain and main is not None else ""
    state = f" ({waiting.state})" if waiting.state else ""
    yield Finding(
        f"{waiting.who} is waiting for {waiting.what}{state}, and {alone}.{leads}",
        evidence.waits.facts_of(waiting, *chain),
        sure,
        (
            Remedy("Check what should have done it: did it fail, or end early?"),
            Remedy("Wait with a timeout, so that the program can report what is missing."),
        ),
        where=waiting.place or (main.place if main is not None else None),
    )
