"""Ten times a second: where is every thread, and how large is the process?

In a thread that is in no list of ``threading``, see ``own_thread``.

Where the shim is loaded the thread runs C alone (``ticks``, sampler.c), and Python only for what is rare. Without it the thread runs what
stands here: the collector is held off while it works, but between two steps of Python other threads run.
"""

from __future__ import annotations

import os
import sys

from ..memory.meter import resident_bytes
from ..notes.describe import frames_of, masked
from ..notes.journal import Journal
from ..start.care import Care
from ..start.frames import current_frames, other_interpreters
from ..start.own_thread import NoThread, PlainThread, is_free_threaded
from ..start.real import Real
from .ticks import Ticks, given

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple, Union

    from ..notes.describe import FrameData
    from ..start.own_thread import LibraryThread, Other

    Thread = Union[PlainThread, LibraryThread]

SECONDS_BETWEEN = 0.1

#: While memory grows, and in the first moments, look more often: a program can fill its limit in a fifth of a second.
SECONDS_BETWEEN_WHEN_GROWING = 0.02
GROWING_BYTES = 4_000_000
FIRST_TICKS = 10
MAX_THREADS = 12

#: A thread that bears a word of the arguments or the environment is not called by its name: that word may be a secret.
NAMES_OF_PYTHON = ("MainThread", "Thread-", "Dummy-", "ThreadPoolExecutor-", "asyncio_")
SHORTEST = 6


class Sampler:
    """What our thread does."""

    def __init__(
        self,
        journal: Journal,
        each: Callable[[int], None],
        begin: Callable[[], bool] = lambda: True,
        leave: Callable[[], None] = lambda: None,
    ) -> None:
        self.ticks: Optional[Ticks] = None  #: the loop in the shim, where there is one
        self.asked: Callable[..., None] = print  #: what it calls
        self.thread: Thread = NoThread() if is_free_threaded() else PlainThread()
        self._journal = journal
        self._each = each
        self._begin = (
            begin  # first in the thread of a forked child: whether there is something to do
        )
        self._leave = leave  # last in the thread, when the program ends
        self._last: Any = None
        self._rss = 0
        self._count = 0
        self._main = Real.get_ident()
        self.near = False  #: a limit is so near that the next moments may be the last

    def start(self, delay: float = 0.0) -> None:
        """Begin, or begin again, after the delay."""
        if isinstance(self.thread, PlainThread):
            plain = self.thread
            plain.start(lambda: self._run(plain), self._finish, delay)
        else:
            self._tell_ticks()
            self.thread.start(self._ready, self._finish, delay)

    def stop(self) -> None:
        """End the thread and wait until it is gone, or has nothing but its own end before it."""
        self.thread.stop()

    def _tell_ticks(self) -> None:
        if self.ticks is not None:
            self.ticks.settings.main_ident = self._main
            self.ticks.begin(self.asked, shown_by_ticks)

    def _ready(self) -> bool:
        """First in the thread of a forked child: whether there is something to do in it."""
        Care.hold_collector()
        try:
            wanted = self._begin()
            self._tell_ticks()
            return wanted
        finally:
            Care.release_collector()

    def _finish(self) -> None:
        Care.hold_collector()
        try:
            self._leave()
        finally:
            Care.release_collector()

    def forked(self, main: int) -> None:
        """In a child the thread that forked is the main one."""
        self._main = main or self._main
        if self.ticks is not None:
            self.ticks.forked()
        self._last = None
        self._count = 0

    def _run(self, thread: PlainThread) -> None:
        try:
            pause = SECONDS_BETWEEN_WHEN_GROWING
            while not thread.acquire(True, pause):
                Care.hold_collector()
                try:
                    pause = self._tick()
                    self._each(self._rss)
                finally:
                    Care.release_collector()
        except BaseException:
            pass  # at interpreter shutdown anything may be gone

    def _tick(self) -> float:
        """Write one sample; returns the seconds until the next."""
        mine = Real.get_ident()
        places: List[Tuple[int, List[FrameData]]] = []
        marks = []
        hidden = {"hidden": True} if other_interpreters() else {}
        frames = current_frames()
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
            self._journal.stack(rss=rss, threads=threads, **hidden)
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
    if any(len(word) >= SHORTEST and word in name for word in given):
        return "***"
    return masked(name)


def shown_by_ticks(text: str, of_thread: int) -> str:
    """A name for the loop in the shim: of a thread as it is shown; of a file or function only where something must be hidden."""
    name = given(text)
    shown = shown_name(name) if of_thread else masked(name)
    return shown if of_thread or shown != name else ""


def others_at_a_fork(told: List[Other]) -> List[str]:
    """The other threads of the parent, by name and line: a forked child has none of them, but every lock that they hold."""
    return [f"{shown_name(str(name))} at {file}:{line}" for file, line, name in told]
