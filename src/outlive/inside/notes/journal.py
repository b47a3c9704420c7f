"""The record of one process: a mapped file with three rings, for the first notes of each kind, for the last ones, and for stacks.

Nothing stays open: programs close all descriptors and use the numbers again. The file's space is handed out before it is
mapped, so that a disk that fills up later cannot end the program with SIGBUS.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource

from ..start.clock import Clock
from ..start.real import Real
from . import kinds
from .format import Ring
from .masking import Masker, secrets_here

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional

NOTES_BYTES = 160 * 1024
LATEST_BYTES = 64 * 1024
#: About 90 seconds of stacks at ten a second (a stack of a Keras training was 350 to 600 bytes).
STACKS_BYTES = 512 * 1024

#: A process that throws in a loop must not push everything else out of the ring: later notes of a kind have one of their own.
FIRST_NOTES_OF_A_KIND = 60

#: An error costs about 0.1 ms to write down. Of those that come faster than this after the first ones, some are left out.
SECONDS_BETWEEN_LATEST = 0.05

LOCK_SECONDS = 0.2

PROT_READ_AND_WRITE = 3
MAP_SHARED = 1


class Pages:
    """What is kept of one process: a forked child has its own."""

    def __init__(self) -> None:
        self.lock = Real.allocate_lock()
        self.notes: Optional[Ring] = None
        self.latest: Optional[Ring] = None
        self.stacks: Optional[Ring] = None
        self.counts: Dict[str, int] = {}
        self.latest_time: Dict[str, float] = {}
        self.failed = False
        self.path = ""
        self.eventful = False


class Journal:
    """Append-only from the outside; never raises, never blocks for long."""

    def __init__(
        self,
        folder: str,
        introduction: Callable[[], Dict[str, Any]],
        forked: Callable[[], None] = lambda: None,
    ) -> None:
        self._folder = folder
        self._introduction = introduction
        self._forked = forked  # called in a child, before the first thing that it has to say
        self._pages = (Real.getpid(), Pages())
        self._masker = Masker()

    def _here(self) -> Pages:
        """This process's own: the parent's are the parent's. Known by its number, since no line of ours runs when a program forks."""
        pid, pages = self._pages
        if pid != Real.getpid():
            pages = self._own()
            self._forked()
        return pages

    def _own(self) -> Pages:
        pid, pages = self._pages
        if pid != Real.getpid():
            pages = Pages()
            self._pages = (Real.getpid(), pages)
        return pages

    @property
    def eventful(self) -> bool:
        """Whether something was noted that somebody may want to know of a process that ended well."""
        pid, pages = self._pages
        return pid == Real.getpid() and pages.eventful

    def note(self, kind: kinds.Kind, **fields: Any) -> None:
        """Something rare: a process began, an exception ended a thread, the program asked to exit."""
        pages = self._here()
        well = kind == kinds.QUIT and not fields.get("code")
        pages.eventful = pages.eventful or not (well or kind in kinds.ORDINARY)
        counted = kind + str(fields.get("origin", ""))
        pages.counts[counted] = pages.counts.get(counted, 0) + 1
        first = pages.counts[counted] <= FIRST_NOTES_OF_A_KIND
        self._append(
            pages,
            "notes" if first else "latest",
            {"kind": kind, "time": Clock.time(), "pid": Real.getpid(), **fields},
        )

    def is_due(self, kind: kinds.Kind, origin: str = "") -> bool:
        """Whether a note of this kind should be made: the first ones always, later ones a few times a second."""
        pages, counted = self._here(), kind + origin
        if pages.counts.get(counted, 0) < FIRST_NOTES_OF_A_KIND:
            return True
        now = Clock.monotonic()
        due = now - pages.latest_time.get(counted, 0.0) >= SECONDS_BETWEEN_LATEST
        if due:
            pages.latest_time[counted] = now
        return due

    def stack(self, **fields: Any) -> None:
        """Where the threads are now."""
        self._append(self._here(), "stacks", {"kind": kinds.STACK, "time": Clock.time(), **fields})

    def look(self, **fields: Any) -> None:
        """What the threads wait for: as long as a stack or longer, and kept where the stacks are."""
        payload = {"kind": kinds.LOOK, "time": Clock.time(), "pid": Real.getpid(), **fields}
        self._append(self._here(), "stacks", payload)

    def share_stacks(self, hand_over: Callable[[Optional[Ring]], Optional[Ring]]) -> None:
        """Give the ring for stacks to whoever else writes into it; open it first."""
        pages = self._here()
        if not pages.lock.acquire(True, LOCK_SECONDS):
            return
        try:
            if pages.notes is None and not pages.failed:
                self._open(pages)
        except Exception:
            pages.failed = True
        finally:
            pages.stacks = hand_over(pages.stacks)
            pages.lock.release()

    def _append(self, pages: Pages, ring: str, payload: Dict[str, Any]) -> None:
        payload = self._hidden(payload)
        if not pages.lock.acquire(True, LOCK_SECONDS):
            return
        try:
            if pages.notes is None and not pages.failed:
                self._open(pages)
            target = getattr(pages, ring)
            if target is not None:
                target.append(payload)
        except Exception:
            pages.failed = True
        finally:
            pages.lock.release()

    def _hidden(self, payload: Dict[str, Any]) -> Dict[str, Any]:
        """Without secrets, wherever in it: every text of the program's goes through here. What cannot be masked is not written."""
        try:
            self._masker.learn(secrets_here())
            return {name: self._masker.data(value) for name, value in payload.items()}
        except Exception as error:  # no memory is left, say
            kept = ("kind", "time", "pid", "origin", "rss")
            told = {name: payload[name] for name in kept if name in payload}
            return {**told, "hidden": type(error).__name__}

    def _open(self, pages: Pages) -> None:
        stacks = NOTES_BYTES + LATEST_BYTES
        total = stacks + STACKS_BYTES
        if not allows_a_file_of(total):
            raise OSError(errno.EFBIG, "RLIMIT_FSIZE")
        path = os.path.join(self._folder, f"{Real.getpid()}-{Clock.monotonic_ns()}.ring")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = Real.open(path, flags, 0o600)
        try:
            Real.posix_fallocate(handle, 0, total)
            memory = mapped(handle, total)
        except BaseException:
            Real.unlink(path)
            raise
        finally:
            Real.close(handle)
        pages.path = path
        pages.notes = Ring(memory, 0, NOTES_BYTES)
        pages.latest = Ring(memory, NOTES_BYTES, stacks)
        pages.stacks = Ring(memory, stacks, total)
        known = {"kind": kinds.PROCESS, "time": Clock.time(), "pid": Real.getpid()}
        pages.notes.append(self._hidden({**known, **self._introduction()}))

    def close(self) -> None:
        """Keep nothing more, and nothing of what was kept."""
        pages = self._own()
        pages.notes = pages.latest = pages.stacks = None
        pages.failed = True
        remove(pages.path)


def allows_a_file_of(size: int) -> bool:
    """Whether this process may write a file of that size: a larger one is SIGXFSZ, which ends it."""
    soft = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return soft == resource.RLIM_INFINITY or soft >= size


def remove(path: str) -> None:
    """Delete a file, if it is there."""
    try:
        Real.unlink(path)
    except OSError:
        pass


def mapped(handle: int, size: int) -> memoryview:
    """The file as memory, for as long as the process lives.

    Not by ``mmap.mmap``: that keeps a descriptor of its own, under a number that the program may close and use again, and closes
    whatever is there when it goes (in a forked child, say).
    """
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    address = library.mmap(None, size, PROT_READ_AND_WRITE, MAP_SHARED, handle, 0)
    if address is None or address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")
