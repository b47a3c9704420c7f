"""Tell a program that its memory comes near the limit, while there is still time to do something about it."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from outlive.errors import UsageError
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit
from outlive.inside.machine.resident import resident_bytes
from outlive.inside.notes import kinds
from outlive.keep.pressure.call import SECONDS_TO_BEGIN, PressureCall
from outlive.keep.pressure.exhaustion import is_exhaustion
from outlive.keep.pressure.recorder_link import recorder, tell, tell_saved
from outlive.model.findings import size
from outlive.model.quick_dataclass import dataclass

#: Between two looks at this process's own memory, which take some microseconds, …
SECONDS_BETWEEN = 0.05
#: … and between two looks at everything that bounds it, which take a millisecond, unless it has grown by such a share of the limit.
SECONDS_BETWEEN_FULL = 1.0
GROWN = 0.02

#: Memory that hovers around the mark crosses it once: it must first fall by so much of the limit.
CALMED = 0.05

#: A callback that is under way when the program ends may be saving: it is waited for, but not for ever.
SECONDS_AT_EXIT = 60.0

#: The names that messages of ours have in a log.
LOG = logging.getLogger("outlive")


@dataclass(frozen=True, slots=True)
class Pressure:
    """How much memory is used, of which limit."""

    used_bytes: int
    limit_bytes: int
    source: str  #: the file that states the limit

    @property
    def share(self) -> float:
        """Which part of the limit is used, from 0 to 1."""
        return self.used_bytes / self.limit_bytes if self.limit_bytes else 0.0

    def __str__(self) -> str:
        return f"{size(self.used_bytes)} of {size(self.limit_bytes)} used ({self.source})"


def pressure_now(host: Host | None = None) -> Pressure | None:
    """The fullest of everything that bounds this process; nothing where that cannot be read."""
    found = [
        Pressure(bound.used_bytes, bound.bytes, bound.source)
        for bound in effective_limit(host or Host()).bounds
        if bound.used_bytes is not None and bound.bytes
    ]
    return max(found, key=lambda one: one.share, default=None)


class Watch:
    """One request to be told. ``stop()`` ends it; ``with outlive.on_pressure(…):`` ends it with the block."""

    def __init__(
        self,
        callback: Callable[[Pressure], Any],
        at: float,
        owes: Callable[[], bool] | None = None,
    ) -> None:
        self.callback = callback
        self.at = at
        self._owes = owes  # of one who is told here and saves later, in a thread of the program's
        self.calls = 0  #: how often the mark was crossed
        self._told_at = 0.0  #: the share that it was last told of; 0 when memory has fallen since
        self._running: PressureCall | None = None
        self._considering = threading.Lock()

    def consider(self, now: Pressure) -> None:
        """Call back when the mark is crossed, in its own thread: a callback that hangs stops nobody else."""
        if now.share < self.at - CALMED:
            self._told_at = 0.0
        if now.share >= self.at and not self._told_at:
            self._begin(now)

    def last_call(self, now: Pressure) -> bool:
        """The program is about to be stopped: call back whatever the mark, unless that was done just now. Whether it was called."""
        return now.share - self._told_at >= CALMED and self._begin(now)

    def _begin(self, now: Pressure) -> bool:
        if not self._considering.acquire(blocking=False):
            return False  # another thread is at it
        try:
            if self.is_running():
                return False
            self._told_at, self.calls = now.share, self.calls + 1
            self._running = PressureCall(lambda: self._call(now))
            return self._running.start()
        finally:
            self._considering.release()

    def owes(self) -> bool:
        """Whether it will yet save."""
        return self._owes is not None and self._owes()

    def is_running(self) -> bool:
        """Whether the callback is under way."""
        return self._running is not None and self._running.is_alive()

    def join(self, seconds: float) -> None:
        """Wait for a callback that is under way."""
        if self._running is not None:
            self._running.join(seconds)

    def call_if_it_never_began(self, now: Pressure) -> None:
        """Call back in this thread, where memory was refused to the one that was to do it."""
        if self._running is not None and not self._running.has_begun:
            self._running = None
            self._call(now)

    def _call(self, now: Pressure) -> None:
        try:
            result = self.callback(now)
            if self._owes is None:
                tell_saved(result, "outlive.on_pressure")
                tell(kinds.HANDLED, how="outlive.on_pressure")
        except BaseException:  # whatever it is, the program goes on
            LOG.exception("outlive: the callback of on_pressure failed")

    def stop(self) -> None:
        """Be told no more."""
        WATCHER.remove(self)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class Watcher:
    """One thread for all who want to be told; it ends when nobody does."""

    def __init__(self, read: Callable[[], Pressure | None] = pressure_now) -> None:
        self._read = read
        self._watches: list[Watch] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self._leave)

    def add(self, watch: Watch) -> None:
        """Watch the memory for this one from now on; the first one starts the thread."""
        if (agent := recorder()) is not None:
            agent.savers = self
        with self._lock:
            self._watches.append(watch)
            self._wake.clear()  # of the last who left, if the thread has not gone yet
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._watch, name="outlive-pressure", daemon=True
                )
                self._thread.start()

    def remove(self, watch: Watch) -> None:
        """Stop watching for this one; with the last one the thread ends."""
        with self._lock:
            self._watches = [one for one in self._watches if one is not watch]
            if not self._watches:
                self._wake.set()

    # The brake asks these, in the recorder's thread and in the handler of a signal: no lock is taken, it may be held below.

    def tell(self, used_bytes: int, limit_bytes: int) -> bool:
        """The program is about to be stopped: whoever wants to save, now. Whether anybody was told who did not know."""
        now = Pressure(used_bytes, limit_bytes, "the brake of outlive run")
        called = [watch.last_call(now) for watch in list(self._watches)]
        return any(called)

    def owes(self) -> bool:
        """Whether somebody will save in a moment, in a thread of the program's."""
        return any(watch.owes() for watch in list(self._watches))

    def finish(self, seconds: float) -> None:
        """Wait for the callbacks that are under way."""
        until = time.monotonic() + seconds
        for watch in list(self._watches):
            watch.join(until - time.monotonic())

    def _leave(self) -> None:
        """The program ends: a checkpoint that is being written is written to its end.

        Under the brake the request that was too fast for it is refused; whoever wants to save is told then.
        """
        if getattr(recorder(), "braking", False) and is_exhaustion(
            getattr(sys, "last_value", None)
        ):
            full = Pressure(1, 1, "memory was refused")
            for watch in list(self._watches):
                watch.last_call(full)
                watch.join(SECONDS_TO_BEGIN)
                watch.call_if_it_never_began(full)
        self.finish(SECONDS_AT_EXIT)
        if late := [watch for watch in list(self._watches) if watch.is_running()]:
            LOG.warning("outlive: %d callback(s) of on_pressure did not finish in time", len(late))

    def _watch(self) -> None:
        looked_at, rss_then, limit = 0.0, 0, 0
        while True:
            with self._lock:
                if not self._watches:
                    self._thread = None
                    self._wake.clear()
                    return
                watches = list(self._watches)
            rss, due = resident_bytes(), time.monotonic() - looked_at >= SECONDS_BETWEEN_FULL
            if due or abs(rss - rss_then) >= GROWN * limit:
                looked_at, rss_then = time.monotonic(), rss
                limit = self._look(watches) or limit
            self._wake.wait(SECONDS_BETWEEN)

    def _look(self, watches: list[Watch]) -> int:
        """Tell whom it concerns; the limit, or 0 where it could not be read: memory may be refused to us, too."""
        try:
            now = self._read()
            for watch in watches if now is not None else ():
                watch.consider(now)  # type: ignore[arg-type]  # there is one
            return now.limit_bytes if now is not None else 0
        except Exception:
            return 0

    def _forked(self) -> None:
        """A child has none of our threads, and what was asked was asked for its parent."""
        self._lock, self._wake = threading.Lock(), threading.Event()
        self._watches, self._thread = [], None


WATCHER = Watcher()


def on_pressure(callback: Callable[[Pressure], Any], at: float = 0.85) -> Watch:
    """Call ``callback`` when the memory in use passes the share ``at`` of the limit: the container's, the machine's, whichever is nearest.

    It is called once for each crossing, in its own thread, with what is used and of which limit: save a checkpoint, drop a cache,
    make the batch smaller. An exception in it is logged and harms nobody. Works in any program, under `outlive run` or not.

    One that saves should return the path of what it saved (``lambda now: manager.save()`` does): `outlive run --heal` then knows that there
    is something to go on from. With `outlive run --brake` it is called, and waited for, before the program is stopped.
    """
    if not callable(callback):
        raise UsageError(
            f"on_pressure needs something to call, not {callback!r}.",
            "For example:  outlive.on_pressure(save, at=0.85)",
        )
    watch = Watch(callback, checked(at))
    WATCHER.add(watch)
    tell(kinds.CAN_SAVE, how="outlive.on_pressure")
    return watch


def checked(at: float) -> float:
    """A share of the limit."""
    if not 0 < at <= 1:
        raise UsageError(
            f"A share of the memory limit is above 0 and at most 1, not {at!r}.",
            "For example:  outlive.on_pressure(save, at=0.85)",
        )
    return at
