"""The exception that nobody saw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from outlive.model.evidence import Evidence, Thrown
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.model.patterns import bounded, has_word
from outlive.units.unit import cause

#: What is raised when nothing has come in time.
GAVE_UP_WAITING = ("Empty", "Full", "TimeoutError", "BrokenBarrierError")

#: What Python and NumPy say of nothing at all; and where something may be missing among others.
NOTHING = bounded(
    r"\bempty\b|NoneType|at least one|division by zero|size 0\b|length 0\b", re.IGNORECASE
)
MISSING = bounded(r"out of (?:range|bounds)|KeyError|not enough values", re.IGNORECASE)
#: Of a list that has any, these elements are there.
ENDS = bounded(r"\[(?:0|-1)\]")

#: A sentence must stay one; the whole message is in the traceback.
LONGEST = 160

#: ``table.stats[name]``: by the last name before the bracket, which has the same name wherever it is used.
ITEM = bounded(r"([A-Za-z_]\w{0,80})\[")
PUT = bounded(r"(?:[\w.]{0,80}\.)?([A-Za-z_]\w{0,80})\[[^\]]{1,80}\] ?=[^=]")


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
    """An exception in the background was never retrieved.

    ## What happened
    A thread, a task of an executor or a worker process failed. Python does not carry such an exception to the main
    thread: a future keeps it until `result()` is called, a thread prints it and is gone. The program continues without
    that work: it ends with status 0 and too few results, or waits for them forever.

    ## How we know
    The exception was seen where it was stored, and nothing retrieved it before the end: no `result()`, `exception()`,
    `get()` or `exitcode`. An exception that was retrieved is not lost and is not reported here. An exception that a
    thread caught and only logged is named if the main thread then failed because the result was missing: the values on
    its line were empty or `None`.

    ## What to do
    Call `result()` on every future (also of `executor.map`: read what it returns); catch exceptions in the thread's function and
    hand them over; look at `exitcode` after `join`.
    """
    lost = evidence.errors.lost
    if not lost:
        yield from _swallowed(evidence)
        return
    error = next((thrown for thrown in lost if thrown.own is not None), lost[0])
    hangs = evidence.waits.stuck is not None
    if evidence.run.ending.kind is EndingKind.SUCCESS:
        if error.own is None:
            return  # an affair among libraries, and all went well
        sure, then = Confidence.PROVEN, "the program continued without it and ended with status 0"
        if evidence.run.ending.exit_code is None:
            then = "the program is continuing without it"
    elif hangs:
        sure, then = Confidence.LIKELY, "the program is waiting for what it should have done"
    elif evidence.errors.uncaught is not None and evidence.errors.uncaught.is_a(*GAVE_UP_WAITING):
        sure, then = (
            Confidence.LIKELY,
            "the program waited for what it should have done, and gave up",
        )
    elif _left_a_gap(evidence, lost) is not None:
        error = _left_a_gap(evidence, lost) or error
        sure, then = (
            Confidence.LIKELY,
            f"the main thread then failed for lack of its result: {evidence.errors.uncaught.words if evidence.errors.uncaught else ''}",
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
    if hangs and evidence.waits.stuck is not None and evidence.waits.stuck.main is not None:
        facts += evidence.waits.facts_of(evidence.waits.stuck.main)
    remedy = {
        "future": "Call result() on the future: it raises the exception where you can see it.",
        "worker": "Check the worker's exitcode after join(), or use a process pool and get the result.",
        "thread": "Catch it in the thread's function and pass it on, or use an executor and get the result.",
    }
    yield Finding(
        f"{words} in {place}{more} was never retrieved; {then}.",
        (*facts, *evidence.run.because(RUN_TIME)),
        sure,
        (Remedy(remedy.get(error.origin.value, "Get the result.")),),
        where=error.own,
    )


def _left_a_gap(evidence: Evidence, lost: Sequence[Thrown]) -> Thrown | None:
    """The lost exception whose line would have put something into the container in which the main thread then found no such key."""
    failed = evidence.errors.uncaught
    if failed is None or failed.own is None or not failed.is_a("KeyError", "AttributeError"):
        return None
    read = {found[1] for found in ITEM.finditer(failed.own.code)}
    for error in lost:
        put = PUT.match(error.own.code.strip()) if error.own is not None else None
        if put is not None and put[1] in read:
            return error
    return None


def _swallowed(evidence: Evidence) -> Iterator[Finding]:
    """An exception that a thread caught and only logged, after which the main thread failed of an empty result."""
    failed = evidence.errors.uncaught
    if failed is None or not evidence.run.failed or not _met_nothing(evidence, failed):
        return
    before = [
        thrown
        for thrown in evidence.errors.logged
        if thrown.own is not None and (thrown.at or 0.0) <= (failed.at or 0.0)
    ]
    if not before:
        return
    error = before[-1]
    more = f" ({len(before)} such exceptions in all)" if len(before) > 1 else ""
    yield Finding(
        f"{error.words} in the thread {error.thread}{more} was caught and only logged; "
        f"the main thread then failed for lack of its result: {failed.words}.",
        (
            Fact("exception", error.words, "the program"),
            Fact("thread", error.thread, "the program"),
            Fact("failed at", f"{failed.own}: {failed.words}", "the exception"),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.LIKELY,
        (
            Remedy(
                "Do not continue without the result: raise the exception again in the thread, and get it by result() or a queue."
            ),
        ),
        where=error.own,
    )


def _met_nothing(evidence: Evidence, failed: Thrown) -> bool:
    """Whether the main thread failed of something that was empty: its error says so, or a value on its line is."""
    if failed.raised_by_program:
        return False
    code = failed.own.code if failed.own is not None else ""
    if NOTHING.search(failed.words):
        return True
    if not MISSING.search(failed.words):
        return False
    if failed.is_a("IndexError") and ENDS.search(code):
        return True
    return any(
        has_word(code, held.name.partition("[")[0].rpartition(".")[2])
        for held in evidence.scene.values
        if held.kind == "None" or held.count == 0 or (held.shape and 0 in held.shape)
    )
