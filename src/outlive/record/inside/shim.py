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
WATCHED_SIGNALS = SENT_SIGNALS + FATAL_SIGNALS


class Shim:
    """The loaded library. One per process; a forked child calls ``reopen`` with a file of its own."""

    __slots__ = ("_library", "_signals", "_size")

    def __init__(self, library: object, signals: object, size: int) -> None:
        self._library: object = library
        self._signals: object = signals
        self._size: int = size

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
            for name in ("outlive_shim_open", "outlive_shim_reopen"):
                getattr(library, name).argtypes = (ctypes.c_char_p,)
            library.outlive_shim_size.restype = ctypes.c_size_t
            numbers = (ctypes.c_int * len(WATCHED_SIGNALS))(*WATCHED_SIGNALS)
            shim = cls(library, numbers, int(library.outlive_shim_size()))
            if not shim._attach(library.outlive_shim_open, data_path):
                return None
            shim.refresh()
            return shim
        except Exception:
            return None

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

        Until this is called a forked child records nothing.
        """
        try:
            return self._attach(self._library.outlive_shim_reopen, data_path)  # type: ignore[attr-defined]
        except Exception:
            return False

    def last_words(self, descriptor: int) -> None:
        """Where a fault handler of the program's own writes; what it writes at a crash is kept too."""
        self._library.outlive_shim_last_words(descriptor)  # type: ignore[attr-defined]

    def _attach(self, opener: object, data_path: str) -> bool:
        _make_file(data_path, self._size)
        try:
            if opener(os.fsencode(data_path)) == 0:  # type: ignore[operator]
                return True
        except Exception:
            pass
        os.unlink(data_path)
        return False


def _make_file(path: str, size: int) -> None:
    """Make the file with all of its blocks, so that a full disk cannot be a SIGBUS later."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    try:
        os.posix_fallocate(fd, 0, size)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(fd)
