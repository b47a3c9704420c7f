"""Exceptions that crossed a future or a pool belong to the thread that raised them."""

from __future__ import annotations

import pytest

from made_evidence import PID, ask, evidence
from outlive.model.events import Act, Origin, Thrown
from outlive.model.findings import Place

CLOSED = "Attempted to use a closed Session."
IN_SESSION = Place("/v/tensorflow/python/client/session.py", 1165, "_run", own=False)
USED = Place("score.py", 5, "score", "return session.run(step)")
FUTURE = (
    Place("/py/concurrent/futures/thread.py", 58, "run", own=False),
    Place("/py/concurrent/futures/_base.py", 401, "__get_result", own=False),
)
POOL = (
    Place("/py/multiprocessing/pool.py", 125, "worker", own=False),
    Place("/py/multiprocessing/pool.py", 774, "get", own=False),
)
ASKED = Place("score.py", 20, "main", "print(task.result())")
AGAIN = Place("score.py", 20, "main", "raise reader.error")
CLOSE = Act(
    "closed", "session", "MainThread", (Place("score.py", 15, "main", "session.close()"),), PID, 1.0
)


def error(*frames: Place, origin: Origin = Origin.MAIN, thread: str = "MainThread") -> Thrown:
    return Thrown("RuntimeError", CLOSED, (IN_SESSION, *frames), origin, thread, PID, 2.0)


@pytest.mark.parametrize(
    ("frames", "stored", "words"),
    [
        pytest.param((USED, *FUTURE, ASKED), error(USED, FUTURE[0], origin=Origin.FUTURE, thread="scorer_0"),
                     "the thread scorer_0", id="a future"),
        pytest.param((USED, *FUTURE, ASKED), None, "a thread of a pool", id="a future that was not recorded"),
        pytest.param((USED, *POOL, ASKED), error(USED, POOL[0], origin=Origin.FUTURE, thread="Thread-3"),
                     "a thread of a pool", id="a pool whose results another thread hands out"),
        pytest.param((USED, AGAIN), None, "", id="an attribute"),
        pytest.param((USED, Place("score.py", 21, "main", "score(session)")), None, "the main thread", id="a call"),
    ],
)  # fmt: skip
def test_who_used_a_closed_session(
    frames: tuple[Place, ...], stored: Thrown | None, words: str
) -> None:
    uncaught = error(*frames)
    view = evidence(1, thrown=(*([stored] if stored else []), uncaught), acts=(CLOSE,))

    (found,) = ask("session-closed", view)

    assert words == view.errors.raiser(uncaught)
    assert found.says.startswith("The main thread used") == (words == "the main thread")
    assert "score.py:5" in str(found.because)
