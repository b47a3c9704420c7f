"""Somebody cancelled what somebody else was waiting for."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D702",
    since="0.2",
    behind=("background-error-lost", "uncaught-exception", "exited-by-program"),
    searched=(
        "CancelledError: Operation was cancelled",
        "concurrent.futures._base.CancelledError",
        "asyncio.exceptions.CancelledError",
        "[Derived] RecvAsync is cancelled",
    ),
)
def operation_cancelled(evidence: Evidence) -> Iterator[Finding]:
    """An operation was cancelled while its result was still wanted.

    ## What happened
    A future, an asyncio task, a TensorFlow step or an iterator was cancelled; whoever waited for it got
    `CancelledError`. The cancelled operation is seldom at fault: look at what cancelled it, and why. When one of
    several workers fails, TensorFlow cancels the others, and only the first error says what went wrong.

    ## How we know
    The program ended with (or lost) an exception of that class. The calls that cancel futures and TensorFlow's steps are seen, with
    their lines; asyncio does not tell who cancelled a task.

    ## What to do
    Look at the line that cancelled. Do not ask for the result of what was cancelled, or catch `CancelledError` where that may happen.
    """
    errors = [*([evidence.errors.fatal] if evidence.errors.fatal else []), *evidence.errors.lost]
    error = next((thrown for thrown in errors if thrown.is_a("CancelledError")), None)
    if error is None:
        return
    wanted = "TensorFlow" if error.type.startswith("tensorflow") else "future"
    acts = [
        act
        for act in evidence.run.acts
        if act.kind == "cancelled" and wanted in act.what and act.pid == error.pid
    ]
    act = acts[-1] if acts else None
    message = error.message.strip()
    facts = [Fact("exception", f"{error.type}: {message[:160]}".rstrip(": "), "the program")]
    if error.own is not None:
        facts.append(Fact("waited at", f"{error.own} in {error.own.function}", "the exception"))
    if act is not None and act.own is not None:
        facts.append(Fact("cancelled at", f"{act.own} by {act.thread}", "the call of cancel"))
    quiet = evidence.run.ending.kind is EndingKind.SUCCESS
    after = "; nobody retrieved it, and the program ended with status 0" if quiet else ""
    by = f" by the line {act.own}" if act is not None and act.own is not None else ""
    yield Finding(
        f"{error.type.rpartition('.')[2]}: what the program was waiting for was cancelled{by}{after}.",
        tuple(facts),
        Confidence.PROVEN if by else Confidence.LIKELY,
        (Remedy("Find out why it was cancelled; do not wait for it after that."),),
        where=(act.own if act is not None else None) or error.own,
    )
