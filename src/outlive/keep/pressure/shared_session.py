"""Sessions of TensorFlow 1 that several threads use: closing waits for who is inside, and a latecomer learns who closed."""

from __future__ import annotations

import functools
import logging
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Session = TypeVar("Session")

#: Whoever closes is told who is still inside when it takes longer than that.
SECONDS_BEFORE_SAYING = 30.0

#: Code that stands between the user's line and ours.
BETWEEN = ("/tensorflow/", "/tf_keras/", "/keras/", "/threading.py", "/contextlib.py", __file__)

#: Through this file TensorFlow calls functions of the program's (`tf.py_function` and its like).
CALLED_BY_TENSORFLOW = "/tensorflow/python/ops/script_ops.py"

#: What runs something in a session, where the session has it.
RUNS = ("run", "partial_run", "partial_run_setup")

LOG = logging.getLogger("outlive")


class SessionClosed(RuntimeError):
    """The session was closed before. The message says by whom: the thread, the file and the line."""

    __module__ = "outlive"


def shared_session(session: Session, patience: float | None = None) -> Session:
    """Make a session safe to be closed while other threads use it; it stays the same object.

    ``session.close()`` then waits until every run that is under way has ended, ``patience`` seconds at most (for ever if that is not
    given); a run that comes later raises ``SessionClosed``, which names who closed it. Works for ``tf.compat.v1.Session``,
    ``InteractiveSession`` and whatever else has ``run`` and ``close``.
    """
    if not isinstance(getattr(session, "close", None), _Guarded):
        _Guard(session, patience).install()
    return session


class _Guarded(functools.partial[Any]):
    """A method of a session that goes through its guard."""


class _Guard:
    """Counts who is inside one session. It does not keep the session alive."""

    def __init__(self, session: Any, patience: float | None) -> None:
        self._session = weakref.ref(session)
        self._patience = patience
        self._change = threading.Condition(threading.RLock())
        self._inside: dict[int, list[str]] = {}  # by thread: what it runs, and where
        self._closed_by = ""

    def install(self) -> None:
        """Stand before the methods of this one session."""
        session: Any = self._session()
        kind = type(session)
        for name in RUNS:
            if callable(getattr(kind, name, None)):
                setattr(session, name, _Guarded(self._run, getattr(kind, name)))
        if callable(getattr(kind, "make_callable", None)):
            session.make_callable = _Guarded(self._make_callable, kind.make_callable)
        session.close = _Guarded(self._close, kind.close)

    def _run(self, real: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._inside_of(functools.partial(real, self._session()), *args, **kwargs)

    def _make_callable(self, real: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        made = self._run(real, *args, **kwargs)
        return functools.partial(self._inside_of, made)

    def _inside_of(self, act: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        me = threading.get_ident()
        with self._change:
            if self._closed_by:
                raise SessionClosed(self._late())
            mine = self._inside.setdefault(me, [])
            mine.append(_who_and_where())
        try:
            return act(*args, **kwargs)
        except Exception as error:
            if self._closed_by and _speaks_of_closing(error):
                raise SessionClosed(self._late()) from error
            raise
        finally:
            with self._change:
                mine.pop()
                if not mine:
                    self._inside.pop(me, None)
                self._change.notify_all()

    def _close(self, real: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with self._change:
            self._closed_by = self._closed_by or _who_and_where()
            self._wait_for_the_others()
        return real(self._session(), *args, **kwargs)

    def _wait_for_the_others(self) -> None:
        """A run that waits for this thread cannot end while we wait for it: its own thread's, or that of a function that it calls."""
        me, began, said = threading.get_ident(), time.monotonic(), False
        while others := [runs[-1] for thread, runs in self._inside.items() if thread != me]:
            waited = time.monotonic() - began
            impatient = self._patience is not None and waited >= self._patience
            if impatient or _called_by_a_run():
                LOG.warning("outlive: the session was closed during a run: %s", "; ".join(others))
                return
            if waited >= SECONDS_BEFORE_SAYING and not said:
                said = True
                LOG.warning(
                    "outlive: %s is waiting to close a session in use: %s",
                    self._closed_by,
                    "; ".join(others),
                )
            left = None if self._patience is None else self._patience - waited
            self._change.wait(min(1.0, left) if left is not None else 1.0)

    def _late(self) -> str:
        return f"Attempted to use a closed session: {self._closed_by} had closed it."


def _called_by_a_run() -> bool:
    """Whether TensorFlow has called this function, in its own thread, in the middle of a run."""
    frame: Any = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.endswith(CALLED_BY_TENSORFLOW):
        frame = frame.f_back
    return frame is not None


def _speaks_of_closing(error: Exception) -> bool:
    return type(error).__name__ == "CancelledError" or "closed" in str(error).lower()


def _who_and_where() -> str:
    """The thread, and the user's line in it."""
    frame: Any = sys._getframe(1)
    while frame is not None and any(part in frame.f_code.co_filename for part in BETWEEN):
        frame = frame.f_back
    name = threading.current_thread().name
    thread = "the main thread" if name == "MainThread" else f"the thread {name}"
    return f"{thread} at {frame.f_code.co_filename}:{frame.f_lineno}" if frame else thread
