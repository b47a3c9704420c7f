"""The agent's hold on the C library (``native/``): the tail of stderr, and who sent which signal.

Everything here is best effort: without the library, or when anything goes wrong, ``Shim.load``
gives None and the program runs as it would have.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without the enumerations, which take long to load
import ctypes
import os

SENT_SIGNALS = (
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGXCPU,
    signal.SIGXFSZ,
    signal.SIGALRM,
    signal.SIGVTALRM,
)
FATAL_SIGNALS = (
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGILL,
    signal.SIGFPE,
    signal.SIGABRT,
    signal.SIGTRAP,
    signal.SIGSYS,
)
SAID_SINCE = (ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)

#: Of a traceback and the words at its end.
MAX_SAID = 32 * 1024

WATCHED_SIGNALS = SENT_SIGNALS + FATAL_SIGNALS


class Shim:
    """The loaded library. One per process; a forked child calls ``reopen`` with a file of its own."""

    __slots__ = ("_library", "_signals")

    def __init__(self, library: object, signals: object) -> None:
        self._library: object = library
        self._signals: object = signals

    @classmethod
    def load(cls, library_path: str, data_path: str) -> Shim | None:
        """Load the library, make its data file and start to record; None if that cannot be done.

        ``data_path`` must not exist yet; it is not left behind when loading fails. A file system in
        memory (/dev/shm, /run) suits it best: a page of a file on a disk may be locked while it is
        written back, and a write to stderr would wait for it.
        """
        try:
            if not os.path.isfile(library_path):
                return None
            library = ctypes.CDLL(library_path)
            for name in ("outlive_shim_open", "outlive_shim_reopen", "outlive_shim_folder"):
                getattr(library, name).argtypes = (ctypes.c_char_p,)
            for name in ("outlive_shim_said", "outlive_shim_said_since"):
                getattr(library, name).restype = ctypes.c_size_t
            library.outlive_shim_said_since.argtypes = SAID_SINCE
            numbers = (ctypes.c_int * len(WATCHED_SIGNALS))(*WATCHED_SIGNALS)
            shim = cls(library, numbers)
            if library.outlive_shim_open(os.fsencode(data_path)) != 0:
                return None
            shim.refresh()
            return shim
        except Exception:
            return None

    @property
    def library(self) -> object:
        """As ctypes has loaded it."""
        return self._library

    @property
    def signals(self) -> object:
        """The numbers that are watched, as C has them."""
        return self._signals

    def refresh(self) -> None:
        """Patch what was loaded since, and wrap signal handlers installed since. Once a second.

        Cheap when nothing changed. It may wait, without the GIL, while another thread is inside
        dlopen.
        """
        library = self._library
        library.outlive_shim_patch()  # type: ignore[attr-defined]
        library.outlive_shim_watch(self._signals, len(WATCHED_SIGNALS))  # type: ignore[attr-defined]

    def reopen(self, data_path: str) -> bool:
        """Record into a new file, in a forked child. False: nothing is recorded in this process.

        Until this is called a forked child records nothing, unless it was told of a folder.
        """
        try:
            return bool(self._library.outlive_shim_reopen(os.fsencode(data_path)) == 0)  # type: ignore[attr-defined]
        except Exception:
            return False

    def close(self) -> None:
        """Record nothing more in this process."""
        self._library.outlive_shim_reopen(None)  # type: ignore[attr-defined]

    def let_children_be_late(self, folder: str) -> None:
        """Let a forked child that dies or speaks before it has called ``reopen`` make its file ``PID.native`` in this folder."""
        self._library.outlive_shim_folder(os.fsencode(folder))  # type: ignore[attr-defined]

    def last_words(self, descriptor: int) -> None:
        """Where a fault handler of the program's own writes; what it writes at a crash is kept too."""
        self._library.outlive_shim_last_words(descriptor)  # type: ignore[attr-defined]

    def said_so_far(self) -> int:
        """How much was written to stderr until now."""
        return int(self._library.outlive_shim_said())  # type: ignore[attr-defined]

    def said(self, since: int) -> str:
        """What was written to stderr since then, or the end of it."""
        room = ctypes.create_string_buffer(MAX_SAID)
        size = self._library.outlive_shim_said_since(since, room, MAX_SAID)  # type: ignore[attr-defined]
        return room.raw[:size].decode("utf-8", "replace")

    def guard(self, descriptor: int) -> None:
        """Where Python's fault handler writes for us, or -1.

        It writes there and nowhere else: not when the number has become another file's, and in a forked child that crashes at once
        into a file of its own.
        """
        self._library.outlive_shim_fault_file(descriptor)  # type: ignore[attr-defined]
        self._library.outlive_shim_fault(descriptor)  # type: ignore[attr-defined]

    @property
    def confined(self) -> bool:
        """Whether the program has confined itself: it may die of a system call of ours."""
        return bool(self._library.outlive_shim_confined())  # type: ignore[attr-defined]

    def leave_the_last_word(self) -> None:
        """If the main thread has ended by itself, end this one likewise: the kernel takes the status of the last."""
        with open(f"/proc/self/task/{os.getpid()}/stat", "rb") as file:
            state = file.read().rpartition(b")")[2].split()[0]
        if state == b"Z":
            self._library.outlive_thread_vanish()  # type: ignore[attr-defined]
