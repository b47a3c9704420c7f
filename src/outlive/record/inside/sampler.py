"""Ten times a second: where is every thread, and how large is the process?

A bare thread of ``_thread``, so that it is in no list that the program can see. It stops before a fork and starts again after it:
Python 3.12 and later warn of a fork with more than one thread, and a program must not be warned because of us.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal without the enumerations, which take long to load
import _thread
import os
import sys

from .clock import Clock
from .describe import frames_of
from .journal import Journal
from .memory import resident_bytes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

    from .describe import FrameData

SECONDS_BETWEEN = 0.1

#: While memory grows, and in the first moments, look more often: a program can fill its limit in a fifth of a second.
SECONDS_BETWEEN_WHEN_GROWING = 0.02
GROWING_BYTES = 4_000_000
FIRST_TICKS = 10
MAX_THREADS = 12

#: A thread that bears a word of the arguments or the environment is not called by its name: that word may be a secret.
NAMES_OF_PYTHON = ("MainThread", "Thread-", "Dummy-", "ThreadPoolExecutor-", "asyncio_")
SHORTEST = 6
EVERY_SIGNAL = _signal.valid_signals()
STOP_SECONDS = 2.0


class Sampler:
    """The thread and its two locks."""

    def __init__(self, journal: Journal, each: Callable[[int], None]) -> None:
        self._journal = journal
        self._each = each
        self._stop = _thread.allocate_lock()
        self._running = _thread.allocate_lock()
        self._last: Any = None
        self._rss = 0
        self._count = 0
        self._main = _thread.get_ident()
        self.near = False  #: a limit is so near that the next moments may be the last

    def start(self, first: Optional[Callable[[], None]] = None, delay: float = 0.0) -> None:
        """Begin, or begin again; ``first`` is called once, in the thread, after the delay."""
        self._stop = _thread.allocate_lock()
        self._running = _thread.allocate_lock()
        self._stop.acquire()
        self._running.acquire()
        # A signal that the program has blocked, to wait for it, must not find a thread that lets it in.
        before = _signal.pthread_sigmask(_signal.SIG_SETMASK, EVERY_SIGNAL)
        try:
            _thread.start_new_thread(self._run, (self._stop, self._running, first, delay))
        except RuntimeError:  # no more threads to be had: the program's affair, not ours
            self._running.release()
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)

    def stop(self) -> None:
        """End the thread and wait until it is gone."""
        if self._stop.locked():
            self._stop.release()
        if self._running.acquire(True, STOP_SECONDS):
            self._running.release()

    def forked(self) -> None:
        """In a child the thread that forked is the main one."""
        self._main = _thread.get_ident()
        self._last = None
        self._count = 0

    def _run(
        self, stop: Any, running: Any, first: Optional[Callable[[], None]], delay: float
    ) -> None:
        try:
            if delay and stop.acquire(True, delay):
                return
            if first is not None:
                first()
            pause = SECONDS_BETWEEN_WHEN_GROWING
            while not stop.acquire(True, pause):
                pause = self._tick()
                self._each(self._rss)
        except BaseException:
            pass  # at interpreter shutdown anything may be gone
        finally:
            running.release()

    def _tick(self) -> float:
        """Write one sample; returns the seconds until the next."""
        mine = _thread.get_ident()
        places: List[Tuple[int, List[FrameData]]] = []
        marks = []
        frames = sys._current_frames()
        for ident, frame in frames.items():
            if ident != mine and len(places) < MAX_THREADS:
                marks.append((ident, id(frame), frame.f_lasti))
                places.append((ident, frames_of(frame)))
                del frame
        del frames
        rss = resident_bytes()
        if marks == self._last:
            self._journal.stack(rss=rss, same=True)
        else:
            self._last = marks
            threads = [self._thread(ident, stack) for ident, stack in places]
            self._journal.stack(rss=rss, threads=threads)
        self._count += 1
        grown, self._rss = rss - self._rss, rss
        growing = grown >= GROWING_BYTES or (self.near and grown > 0)
        hurry = self._count < FIRST_TICKS or growing
        return SECONDS_BETWEEN_WHEN_GROWING if hurry else SECONDS_BETWEEN

    def _thread(self, ident: int, stack: List[FrameData]) -> Dict[str, Any]:
        return {"name": thread_name(ident), "main": ident == self._main, "frames": stack}


def thread_name(ident: int) -> str:
    """The name that the program gave to a thread, without importing ``threading`` for it."""
    threading = sys.modules.get("threading")
    thread = getattr(threading, "_active", {}).get(ident)
    return shown_name(str(getattr(thread, "_name", "")) or str(ident))


def shown_name(name: str) -> str:
    """The name of a thread, unless it may be a secret."""
    if name.startswith(NAMES_OF_PYTHON):
        return name
    given = (*getattr(sys, "orig_argv", sys.argv), *os.environ.values())
    return "***" if any(len(word) >= SHORTEST and word in name for word in given) else name


def others_at_a_fork() -> List[str]:
    """The other threads of Python now, by name and line: a forked child has none of them, but every lock that they hold."""
    mine = _thread.get_ident()
    found: List[str] = []
    for ident, frame in sys._current_frames().items():
        ours = frame.f_code.co_filename == __file__  # it may still be ending
        if ident != mine and not ours and len(found) < MAX_THREADS:
            found.append(f"{thread_name(ident)} at {frame.f_code.co_filename}:{frame.f_lineno}")
    return found


def kernel_threads() -> int:
    """How many threads this process has for the kernel."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def wait_for_one_thread(seconds: float) -> None:
    """A thread that has ended for Python may still be ending for the kernel; fork looks at the kernel's count."""
    until = Clock.monotonic() + seconds
    while kernel_threads() > 1 and Clock.monotonic() < until:
        Clock.sleep(0.0002)
