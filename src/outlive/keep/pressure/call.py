"""One call of a callback, in its own thread, that nobody can be made to wait for without end."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable

#: A thread that has not begun by then never will: where memory is refused, Python ends it before its first line.
SECONDS_TO_BEGIN = 1.0


class PressureCall:
    """A callback under way.

    Not a ``threading.Thread``: its ``start`` waits until the new thread has begun. Under the brake the memory for that may be refused, and
    then it waits for ever: one program in four did so at its end.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self._over = threading.Lock()
        self._thread = 0

    def start(self) -> bool:
        """Begin; False where no thread can be had."""
        self._over.acquire()
        try:
            _thread.start_new_thread(self._run, ())
        except (RuntimeError, MemoryError):
            self._over.release()
            return False
        return True

    def _run(self) -> None:
        self._thread = threading.get_ident()
        try:
            self._function()
        finally:
            self._over.release()

    @property
    def has_begun(self) -> bool:
        """Whether the thread has come to its first line."""
        return self._thread != 0

    def is_alive(self) -> bool:
        """Whether it is not over yet."""
        return self._over.locked()

    def join(self, seconds: float) -> None:
        """Wait for its end; not for a thread that does not begin, and not for oneself."""
        if self._thread == threading.get_ident():
            return
        first = min(seconds, SECONDS_TO_BEGIN)
        if self._wait(first) or not self.has_begun:
            return
        self._wait(seconds - first)

    def _wait(self, seconds: float) -> bool:
        if ended := self._over.acquire(timeout=max(0.0, seconds)):
            self._over.release()
        return ended
