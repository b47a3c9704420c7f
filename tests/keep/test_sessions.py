"""A shared session is closed when nobody is inside, and whoever comes later learns who closed it."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import pytest

import outlive
from outlive.keep.pressure import shared_session


class Session:
    """As TensorFlow's behaves: closing cancels what is running."""

    def __init__(self) -> None:
        self.entered, self.go, self.closed = threading.Event(), threading.Event(), threading.Event()

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        if self.closed.is_set():
            raise RuntimeError("Attempted to use a closed Session.")
        if fetches == "wait":
            self.entered.set()
            self.go.wait(20)
            if self.closed.is_set():
                raise CancelledError("Session was closed")
        return fetches

    def make_callable(self, fetches: Any) -> Any:
        return lambda: fetches

    def close(self) -> None:
        self.closed.set()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class CancelledError(Exception):
    pass


class Worker(threading.Thread):
    def __init__(self, act: Any, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._act, self.outcome = act, None
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self._act()
        except BaseException as error:
            self.outcome = error

    def done(self) -> Any:
        self.join(20)
        assert not self.is_alive()
        return self.outcome


def test_closing_waits_for_the_run_that_is_under_way() -> None:
    session = outlive.shared_session(Session())
    user = Worker(lambda: session.run("wait"), "user")
    session.entered.wait(20)

    closer = Worker(session.close, "closer")
    while not _refused(session):  # the closer has begun
        pass
    assert not session.closed.is_set()
    session.go.set()

    assert "wait" == user.done()
    assert closer.done() is None
    assert session.closed.is_set()


def _refused(session: Session) -> bool:
    try:
        session.run(1)
    except outlive.SessionClosed:
        return True
    return False


def test_a_late_run_learns_who_closed_it_and_where() -> None:
    session = outlive.shared_session(Session())
    call = session.make_callable(3)
    assert 3 == call()
    Worker(session.close, "janitor").done()

    for late in (lambda: session.run(1), call):
        with pytest.raises(
            outlive.SessionClosed, match=r"the thread janitor at .*test_sessions.py"
        ):
            late()


def test_the_end_of_a_with_block_is_named_by_its_line() -> None:
    with outlive.shared_session(Session()) as session:
        assert 1 == session.run(1)

    with pytest.raises(RuntimeError, match=rf"main thread at .*{Path(__file__).name}:\d+"):
        session.run(1)


def test_after_its_patience_it_closes_and_the_cancelled_run_learns_who() -> None:
    session = outlive.shared_session(Session(), patience=0.01)
    user = Worker(lambda: session.run("wait"), "user")
    session.entered.wait(20)

    session.close()
    session.go.set()

    assert isinstance(user.done(), outlive.SessionClosed)
    assert "main thread" in str(user.outcome)


def test_who_waits_for_long_says_for_whom(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared_session, "SECONDS_BEFORE_SAYING", 0.0)
    session = outlive.shared_session(Session())
    user = Worker(lambda: session.run("wait"), "scorer")
    session.entered.wait(20)
    with caplog.at_level(logging.WARNING, "outlive"):
        closer = Worker(session.close, "closer")
        while not caplog.records:
            pass
    session.go.set()

    assert (closer.done(), user.done()) == (None, "wait")
    assert "in use: the thread scorer at" in caplog.text


def test_a_thread_may_close_what_it_is_inside_of_itself() -> None:
    class Closing(Session):
        def run(self, fetches: Any, feed_dict: Any = None) -> Any:
            self.close()  # as the handler of a signal would
            return super().run(fetches)

    session = outlive.shared_session(Closing())

    with pytest.raises(outlive.SessionClosed):
        session.run(1)


def test_a_function_that_a_run_calls_in_another_thread_may_close_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It would wait for the run, and the run for it."""
    session = outlive.shared_session(Session())
    user = Worker(lambda: session.run("wait"), "scorer")
    session.entered.wait(20)
    called: dict[str, Any] = {}
    exec(compile("def call(act): act()", "/x/tensorflow/python/ops/script_ops.py", "exec"), called)

    with caplog.at_level(logging.WARNING, "outlive"):
        closer = Worker(lambda: called["call"](session.close), "TensorFlow's")
        assert closer.done() is None
    session.go.set()

    assert isinstance(user.done(), outlive.SessionClosed)
    assert "closed during a run" in caplog.text


def test_an_error_that_has_nothing_to_do_with_closing_stays_itself() -> None:
    class Failing(Session):
        def run(self, fetches: Any, feed_dict: Any = None) -> Any:
            raise ValueError("shapes differ")

    with pytest.raises(ValueError, match="shapes"):
        outlive.shared_session(Failing()).run(1)


def test_it_is_guarded_once_and_not_kept_alive() -> None:
    import weakref

    session = outlive.shared_session(outlive.shared_session(Session()))
    close = session.close
    assert outlive.shared_session(session).close is close
    gone = weakref.ref(session)
    del session, close

    assert gone() is None
