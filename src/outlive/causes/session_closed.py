"""A session that was closed under somebody's hands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.unit import cause

#: A step that is cancelled in the middle only says so.
IN_A_SESSION = "/tensorflow/python/client/session.py"
CLOSED = re.compile(r"session (?:has been|was|is) closed|closed session|session.*\bclosed\b", re.I)


@cause(
    "D701",
    since="0.2",
    behind=(
        "operation-cancelled", "background-error-lost", "uncaught-exception", "waiting-forever",
        "exited-by-program",
    ),
    searched=(
        'RuntimeError: Attempted to use a closed Session',
        'CancelledError: Session has been closed',
        "RuntimeError('Session is closed')",
    ),
)  # fmt: skip
def session_closed(evidence: Evidence) -> Iterator[Finding]:
    """A TensorFlow session was closed while, or before, it was used.

    ## What happened
    `Session.close()`, or the end of a `with tf.Session()`, cancels what is running in the session, and nothing can be run in it
    afterwards. A thread that is still using it gets `CancelledError` or "Attempted to use a closed Session".

    ## How we know
    The error says that the session is closed, or a step in a session was cancelled; and the call that closed it was seen before
    that, with its thread and its line.

    ## What to do
    Join the threads that use a session before it is closed, or tell them to stop first.
    """
    errors = [*([evidence.fatal_error] if evidence.fatal_error else []), *evidence.lost_errors]
    closed = any((act.kind, act.what) == ("closed", "session") for act in evidence.acts)
    found = next(
        (
            (error, thrown)
            for error in errors
            for thrown in error.chain()
            if CLOSED.search(thrown.message)
            or (
                closed
                and thrown.is_a("CancelledError")
                and any(frame.file.endswith(IN_A_SESSION) for frame in thrown.frames)
            )
        ),
        None,
    )
    if found is None:
        return
    error, thrown = found
    closings = [
        act
        for act in evidence.acts
        if (act.kind, act.what, act.pid) == ("closed", "session", error.pid)
        and (act.at is None or error.at is None or act.at <= error.at)
    ]
    closing = closings[-1] if closings else None
    user = "the main thread" if error.thread in ("", "MainThread") else f"the thread {error.thread}"
    facts = [Fact("exception", f"{thrown.type}: {thrown.message.strip()[:160]}", "the program")]
    if error.own is not None:
        facts.append(Fact("used at", f"{error.own} by {user}", "the exception"))
    quiet = evidence.ending.kind is EndingKind.SUCCESS
    after = "; the program went on and ended with status 0" if quiet else ""
    if closing is None:
        yield Finding(
            f"A TensorFlow session was used by {user} after it had been closed{after}.",
            tuple(facts),
            Confidence.LIKELY,
            (Remedy("Close the session only when nobody uses it any more."),),
            where=error.own,
        )
        return
    closer = "the main thread" if closing.thread == "MainThread" else f"the thread {closing.thread}"
    if closing.own is not None:
        facts.append(Fact("closed at", f"{closing.own} by {closer}", "the call of close"))
    yield Finding(
        f"{closer[0].upper()}{closer[1:]} closed the TensorFlow session while {user} was using it{after}."
        if closer != user
        else f"{closer[0].upper()}{closer[1:]} used a TensorFlow session that it had closed before{after}.",
        tuple(facts),
        Confidence.PROVEN,
        (
            Remedy(
                "Join the threads that use the session before closing it, or tell them to stop first."
            ),
        ),
        where=closing.own or error.own,
    )
