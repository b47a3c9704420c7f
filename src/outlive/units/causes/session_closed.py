"""A session that was closed under somebody's hands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.events import Act
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Place, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

#: A step that is cancelled in the middle only says so.
IN_A_SESSION = "/tensorflow/python/client/session.py"
CLOSED = bounded(r"session (?:has been|was|is) closed|closed session|session.*\bclosed\b", re.I)


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
    errors = [*([evidence.errors.fatal] if evidence.errors.fatal else []), *evidence.errors.lost]
    closed = any((act.kind, act.what) == ("closed", "session") for act in evidence.run.acts)
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
        for act in evidence.run.acts
        if (act.kind, act.what, act.pid) == ("closed", "session", error.pid)
        and (act.at is None or error.at is None or act.at <= error.at)
    ]
    closing = closings[-1] if closings else None
    user = evidence.errors.raiser(thrown)
    used = thrown.own or error.own
    facts = [Fact("exception", f"{thrown.type}: {thrown.message.strip()[:160]}", "the program")]
    if used is not None:
        by = f" by {user}" if user else ""
        facts.append(Fact("used at", f"{used}{by}", "the exception"))
    quiet = evidence.run.ending.kind is EndingKind.SUCCESS
    after = "; the program continued and ended with status 0" if quiet else ""
    if closing is None:
        yield Finding(
            f"A TensorFlow session was used{f' by {user}' if user else ''} after it had been closed{after}.",
            tuple(facts),
            Confidence.LIKELY,
            (Remedy("Close the session only when nothing uses it any more."),),
            where=used,
        )
        return
    closer = "the main thread" if closing.thread == "MainThread" else f"the thread {closing.thread}"
    if closing.own is not None:
        facts.append(Fact("closed at", f"{closing.own} by {closer}", "the call of close"))
    who = f"{closer[0].upper()}{closer[1:]}"
    cut_off = not CLOSED.search(thrown.message)
    if closer == user:
        says = f"{who} used a TensorFlow session it had already closed{after}."
    elif cut_off:
        says = f"{who} closed the TensorFlow session while {user or 'it'} was {'using it' if user else 'in use'}{after}."
    else:
        says = f"{who} closed the TensorFlow session{f', and {user} used it after that' if user else ' before it was used again'}{after}."
    yield Finding(
        says,
        tuple(facts),
        Confidence.PROVEN,
        (Remedy(_remedy(closing, used, closer == user)),),
        where=closing.own or used,
    )


def _remedy(closing: Act, used: Place | None, alone: bool) -> str:
    """Say what to change: with one thread it is the order of two lines."""
    if not alone:
        return (
            "Join the threads that use the session before closing it, or tell them to stop first."
        )
    line = f"line {used.line}" if used is not None else "the line that uses it"
    if closing.own is not None and closing.own.code.startswith(("with ", "async with ")):
        return f"Move {line} into the block of this `with`: the session is closed at its end."
    return f"Close the session after {line}, its last use."
