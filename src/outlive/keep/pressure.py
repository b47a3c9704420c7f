"""Tell a program that its memory comes near the limit, while there is still time to do something about it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outlive.errors import UsageError
from outlive.host import Host
from outlive.memory_limit import effective_limit
from outlive.model import size

#: Between two looks at this process's own memory, which take some microseconds, …
SECONDS_BETWEEN = 0.05
#: … and between two looks at everything that bounds it, which take a millisecond, unless it has grown by such a share of the limit.
SECONDS_BETWEEN_FULL = 1.0
GROWN = 0.02

#: Memory that hovers around the mark crosses it once: it must first fall by so much of the limit.
CALMED = 0.05

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
        """Of the limit."""
        return self.used_bytes / self.limit_bytes if self.limit_bytes else 0.0

    def __str__(self) -> str:
        return f"{size(self.used_bytes)} of {size(self.limit_bytes)} are used ({self.source})"


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

    def __init__(self, callback: Callable[[Pressure], Any], at: float) -> None:
        self.callback = callback
        self.at = at
        self.calls = 0  #: how often the mark was crossed
        self._above = False
        self._running: threading.Thread | None = None

    def consider(self, now: Pressure) -> None:
        """Call back when the mark is crossed, in a thread of its own: a callback that hangs stops nobody else."""
        if now.share < self.at - CALMED:
            self._above = False
        if now.share < self.at or self._above:
            return
        if self._running is not None and self._running.is_alive():
            return
        self._above, self.calls = True, self.calls + 1
        self._running = threading.Thread(
            target=self._call, args=(now,), name="outlive-on-pressure", daemon=True
        )
        self._running.start()

    def _call(self, now: Pressure) -> None:
        try:
            self.callback(now)
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

    def add(self, watch: Watch) -> None:
        """From now on."""
        with self._lock:
            self._watches.append(watch)
            self._wake.clear()  # of the last who left, if the thread has not gone yet
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._watch, name="outlive-pressure", daemon=True
                )
                self._thread.start()

    def remove(self, watch: Watch) -> None:
        """No more."""
        with self._lock:
            self._watches = [one for one in self._watches if one is not watch]
            if not self._watches:
                self._wake.set()

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
                now = self._read()
                limit = now.limit_bytes if now is not None else limit
                for watch in watches if now is not None else ():
                    watch.consider(now)  # type: ignore[arg-type]  # there is one
            self._wake.wait(SECONDS_BETWEEN)

    def _forked(self) -> None:
        """A child has none of our threads, and what was asked was asked for its parent."""
        self._lock, self._wake = threading.Lock(), threading.Event()
        self._watches, self._thread = [], None


def resident_bytes() -> int:
    """Memory of this process in RAM."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read(128).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


WATCHER = Watcher()


def on_pressure(callback: Callable[[Pressure], Any], at: float = 0.85) -> Watch:
    """Call ``callback`` when the memory in use passes the share ``at`` of the limit: the container's, the machine's, whichever is nearest.

    It is called once for each crossing, in a thread of its own, with what is used and of which limit: save a checkpoint, drop a cache,
    make the batch smaller. An exception in it is logged and harms nobody. Works in any program, under `outlive run` or not.
    """
    if not callable(callback) or not 0 < at <= 1:
        raise UsageError(
            f"on_pressure needs something to call, and a share above 0 and at most 1, not {at!r}.",
            "For example:  outlive.on_pressure(save, at=0.85)",
        )
    watch = Watch(callback, at)
    WATCHER.add(watch)
    return watch
