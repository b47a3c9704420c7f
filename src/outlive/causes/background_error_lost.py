"""The exception that nobody saw."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.unit import cause

#: What is raised when nothing has come in time.
GAVE_UP_WAITING = ("Empty", "Full", "TimeoutError", "BrokenBarrierError")

#: A sentence must stay one; the whole message is in the traceback.
LONGEST = 160


@cause(
    "D703",
    since="0.2",
    behind=(
        "waiting-forever", "deadlocked", "uncaught-exception", "interrupted", "terminated-by-process", "killed-by-process",
    ),
    searched=(
        'Task exception was never retrieved',
        'Future exception was never retrieved',
        'exception in thread is ignored python',
        'ThreadPoolExecutor swallows exceptions',
    ),
)  # fmt: skip
def background_error_lost(evidence: Evidence) -> Iterator[Finding]:
    """An exception in the background was never looked at.

    ## What happened
    A thread, a task of an executor or a worker process failed. Python does not carry such an exception to the main thread: a
    future keeps it until `result()` is called, a thread prints it and is gone. The program goes on without what should have been
    done; it ends with status 0 and too few results, or it waits for ever for them.

    ## How we know
    The exception was seen where it was stored, and nobody asked for it until the end: not by `result()`, `exception()`, `get()` or
    `exitcode`. An exception that was asked for is not lost, and is not told here.

    ## What to do
    Call `result()` on every future (also of `executor.map`: read what it returns); catch exceptions in the thread's function and
    hand them over; look at `exitcode` after `join`.
    """
    lost = evidence.lost_errors
    if not lost:
        return
    error = next((thrown for thrown in lost if thrown.own is not None), lost[0])
    hangs = evidence.stuck is not None
    if evidence.ending.kind is EndingKind.SUCCESS:
        if error.own is None:
            return  # an affair among libraries, and all went well
        sure, then = Confidence.PROVEN, "the program went on without it and ended with status 0"
        if evidence.ending.exit_code is None:
            then = "the program goes on without it"
    elif hangs:
        sure, then = Confidence.LIKELY, "the program waits for what it should have done"
    elif evidence.uncaught is not None and evidence.uncaught.is_a(*GAVE_UP_WAITING):
        sure, then = (
            Confidence.LIKELY,
            "the program waited for what it should have done, and gave up",
        )
    else:
        sure, then = Confidence.POSSIBLE, "the program ended later, perhaps because of it"
    lines = [line.strip() for line in error.message.splitlines() if line.strip()]
    message = "".join(lines[:1])
    message = message if len(message) <= LONGEST else f"{message[:LONGEST]}…"
    words = f"{error.type.rpartition('.')[2]}: {message}" if message else error.type
    where = {"future": "a task of an executor", "worker": "a worker process", "thread": "a thread"}
    place = where.get(error.origin.value, "the background")
    more = f" ({len(lost)} such exceptions in all)" if len(lost) > 1 else ""
    facts = [Fact("exception", words, "the program")]
    if error.thread:
        facts.append(Fact("thread", error.thread, "the program"))
    if hangs and evidence.stuck is not None and evidence.stuck.main is not None:
        facts += evidence.facts_of_waiting(evidence.stuck.main)
    remedy = {
        "future": "Call result() on the future: it raises the exception where you can see it.",
        "worker": "Look at the worker's exitcode after join(), or use a process pool and ask for the result.",
        "thread": "Catch it in the thread's function and hand it over, or use an executor and ask for the result.",
    }
    yield Finding(
        f"{words} in {place}{more} was never looked at; {then}.",
        (*facts, *evidence.because("run time")),
        sure,
        (Remedy(remedy.get(error.origin.value, "Ask for the result.")),),
        where=error.own,
    )
