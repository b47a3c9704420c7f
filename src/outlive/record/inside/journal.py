"""The record of one process: a mapped file with three rings, for the first notes of each kind, for the last ones, and for stacks.

Nothing stays open: programs close all descriptors and use the numbers again. The file's space is handed out before it is
mapped, so that a disk that fills up later cannot end the program with SIGBUS.
"""

from __future__ import annotations

import _thread
import ctypes
import os

from ..format import ORDINARY, Ring
from .clock import Clock

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


class Journal:
    """Append-only from the outside; never raises, never blocks for long."""

    def __init__(self, folder: str, introduction: Callable[[], Dict[str, Any]]) -> None:
        self._folder = folder
        self._introduction = introduction
        self._lock = _thread.allocate_lock()
        self._notes: Optional[Ring] = None
        self._latest: Optional[Ring] = None
        self._latest_time: Dict[str, float] = {}
        self._stacks: Optional[Ring] = None
        self._counts: Dict[str, int] = {}
        self._failed = False
        self.path = ""
        self.eventful = False  #: something was noted that somebody may want to know of a process that ended well

    def note(self, kind: str, **fields: Any) -> None:
        """Something rare: a process began, an exception ended a thread, the program asked to exit."""
        well = kind == "quit" and not fields.get("code")
        self.eventful = self.eventful or not (well or kind in ORDINARY)
        counted = kind + str(fields.get("origin", ""))
        self._counts[counted] = self._counts.get(counted, 0) + 1
        first = self._counts[counted] <= FIRST_NOTES_OF_A_KIND
        self._append(
            "_notes" if first else "_latest",
            {"kind": kind, "time": Clock.time(), "pid": os.getpid(), **fields},
        )

    def is_due(self, kind: str, origin: str = "") -> bool:
        """Whether a note of this kind should be made: the first ones always, later ones a few times a second."""
        counted = kind + origin
        if self._counts.get(counted, 0) < FIRST_NOTES_OF_A_KIND:
            return True
        now = Clock.monotonic()
        due = now - self._latest_time.get(counted, 0.0) >= SECONDS_BETWEEN_LATEST
        if due:
            self._latest_time[counted] = now
        return due

    def stack(self, **fields: Any) -> None:
        """Where the threads are now."""
        self._append("_stacks", {"kind": "stack", "time": Clock.time(), **fields})

    def look(self, **fields: Any) -> None:
        """What the threads wait for: as long as a stack or longer, and kept where the stacks are."""
        self._append(
            "_stacks", {"kind": "look", "time": Clock.time(), "pid": os.getpid(), **fields}
        )

    def _append(self, ring: str, payload: Dict[str, Any]) -> None:
        if not self._lock.acquire(True, LOCK_SECONDS):
            return
        try:
            if self._notes is None and not self._failed:
                self._open()
            target = getattr(self, ring)
            if target is not None:
                target.append(payload)
        except Exception:
            self._failed = True
        finally:
            self._lock.release()

    def _open(self) -> None:
        path = os.path.join(self._folder, f"{os.getpid()}-{Clock.monotonic_ns()}.ring")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(path, flags, 0o600)
        try:
            stacks = NOTES_BYTES + LATEST_BYTES
            total = stacks + STACKS_BYTES
            os.posix_fallocate(handle, 0, total)
            memory = mapped(handle, total)
        except BaseException:
            os.unlink(path)
            raise
        finally:
            os.close(handle)
        self.path = path
        self._notes = Ring(memory, 0, NOTES_BYTES)
        self._latest = Ring(memory, NOTES_BYTES, stacks)
        self._stacks = Ring(memory, stacks, total)
        self._notes.append(
            {"kind": "process", "time": Clock.time(), "pid": os.getpid(), **self._introduction()}
        )

    def forked(self) -> None:
        """In a child: the parent's rings are the parent's; make own ones when there is something to say."""
        self._lock = _thread.allocate_lock()
        self._notes = self._latest = self._stacks = None
        self._counts = {}
        self._latest_time = {}
        self._failed = False
        self.path = ""
        self.eventful = False

    def close(self) -> None:
        """Keep nothing more, and nothing of what was kept."""
        self._notes = self._latest = self._stacks = None
        self._failed = True
        remove(self.path)


def remove(path: str) -> None:
    """Delete a file, if it is there."""
    try:
        os.unlink(path)
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
