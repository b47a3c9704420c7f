"""Outlive's own thread: started by the C library, or by ``_thread`` where the library is missing; none in a free-threaded Python.

With the library, the fork hooks and the function at exit are its own: no line of ours runs in the thread of the program's that forks or
ends. Signal handlers would run between our lines, and what they raise would be lost; a tracer would see them.
"""

from __future__ import annotations

import _imp
import _signal  # type: ignore[import-not-found]  # signal without the enumerations, which take long to load
import ctypes
import sys

from .clock import Clock
from .real import Real

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

    Other = Tuple[str, int, Any]

EVERY_SIGNAL = _signal.valid_signals()
STOP_SECONDS = 2.0

#: Python threads that have ended may take the kernel a moment to clean up.
THREAD_GONE_SECONDS = 0.05

FORK_WARNS = sys.version_info >= (3, 12)

#: Whether this Python starts its threads as ``native/threads.c`` knows it.
STARTS_DIRECTLY = sys.version_info < (3, 14)


class LibraryThread:
    """The thread that ``native/own_thread.c`` starts, with Python's own function, and ends."""

    def __init__(self, library: Any) -> None:
        held: Any = ctypes.PyDLL(library._name, handle=library._handle)
        self._library = held
        held.outlive_thread_open.argtypes = [*[ctypes.py_object] * 2, ctypes.c_int]
        held.outlive_thread_start.argtypes = [*[ctypes.py_object] * 2, ctypes.c_double]
        held.outlive_fork_others.restype = ctypes.py_object
        held.outlive_fork_main.restype = ctypes.c_ulong
        held.outlive_fork_data_limit.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 2]
        #: In a forked child that has made no file yet.
        self.is_new: Any = held.outlive_shim_is_new
        self.is_new.restype = ctypes.c_bool
        self._held: Any = (Real.start_new_thread, held.outlive_thread_live)
        self._given: Any = None  # what the library calls must not be freed
        held.outlive_thread_open(*self._held, STARTS_DIRECTLY)

    def start(self, prepare: Callable[[], bool], leave: Callable[[], None], delay: float) -> None:
        """Sample in the thread after the delay; ``prepare`` is what it calls first in a forked child, ``leave`` what it calls last, at exit."""
        self._library.outlive_thread_start(prepare, leave, delay)
        self._given = (prepare, leave)  # only now: the library may still have had the old ones

    def stop(self) -> None:
        """End the thread and wait until it is gone."""
        self._library.outlive_thread_stop()

    def hooks(self) -> Dict[str, Any]:
        """For ``os.register_at_fork``. In a child ``run`` is called too, in its own thread, a tenth of a second later."""
        library = self._library
        home, prefix = extension(library._name), "fork_"
        if home is None:
            home, prefix = library, "outlive_fork_"
        return {
            "before": getattr(home, f"{prefix}before"),
            "after_in_parent": getattr(home, f"{prefix}in_parent"),
            "after_in_child": getattr(home, f"{prefix}in_child"),
        }

    @property
    def at_exit(self) -> Any:
        """For ``atexit``: ends the thread, which calls ``leave`` last."""
        return self._library.outlive_thread_leave

    def data_limit(self, limit: Optional[Tuple[int, int]]) -> None:
        """The program's own limit on data, while ours is in force: what a forked child has to get back at once."""
        self._library.outlive_fork_data_limit(limit is not None, *(limit or (0, 0)))

    def at_fork(self) -> Tuple[int, int, List[Other]]:
        """In a child: its main thread; how many more threads the parent had; those that Python knew: file, line, name."""
        library = self._library
        return (
            library.outlive_fork_main(),
            library.outlive_fork_threads(),
            library.outlive_fork_others() or [],
        )


def extension(path: str) -> Any:
    """The library as a module of Python's, without ctypes; None where that was not tried."""
    if sys.version_info >= (3, 14):
        return None
    spec: Any = type(sys)("_outlive_shim")
    spec.name, spec.origin = "_outlive_shim", path
    try:
        return _imp.create_dynamic(spec)
    except (ImportError, SystemError):
        return None


class PlainThread:
    """A bare thread of ``_thread``, for when the C library is missing. It ends at the first fork on Python 3.12 and later, which warn of forks with threads."""

    def __init__(self) -> None:
        self._stop = Real.allocate_lock()
        self._leave: Callable[[], None] = lambda: None
        self._gone = Real.allocate_lock()

    def start(self, run: Callable[[], None], leave: Callable[[], None], delay: float) -> None:
        """Call ``run`` in the thread after the delay; it is to return when ``acquire`` gives True."""
        stop = self._stop = Real.allocate_lock()
        stop.acquire()
        self._leave = leave
        gone = self._gone = Real.allocate_lock()
        gone.acquire()

        def live() -> None:
            try:
                if not stop.acquire(True, delay):
                    run()
            except BaseException:
                pass  # at interpreter shutdown anything may be gone
            finally:
                gone.release()

        # Python runs handlers of signals at the end of each of these calls: when one raises, the mask is untouched or put back.
        before = _signal.pthread_sigmask(_signal.SIG_BLOCK, ())
        try:
            # A signal that the program has blocked, to wait for it, must not find a thread that lets it in.
            _signal.pthread_sigmask(_signal.SIG_SETMASK, EVERY_SIGNAL)
            Real.start_new_thread(live, ())
        except RuntimeError:  # no more threads to be had: the program's affair, not ours
            gone.release()
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)

    def acquire(self, blocking: bool, seconds: float) -> bool:
        """Wait, in the thread: what is waited for is that it is to end."""
        return self._stop.acquire(blocking, seconds)

    def stop(self) -> None:
        """End the thread and wait until it is gone."""
        if self._stop.locked():
            self._stop.release()
        if self._gone.acquire(True, STOP_SECONDS):
            self._gone.release()

    def hooks(self) -> Dict[str, Any]:
        """Name the functions to hand to ``os.register_at_fork``."""
        return {"before": self._end_alone} if FORK_WARNS else {}

    def _end_alone(self) -> None:
        if self._stop.locked():
            only_ours = kernel_threads() == 2
            self.stop()
            if only_ours:
                wait_for_one_thread(THREAD_GONE_SECONDS)

    def at_exit(self) -> None:
        """For ``atexit``: ends the thread, and calls ``leave`` last."""
        self.stop()
        self._leave()

    def data_limit(self, limit: Optional[Tuple[int, int]]) -> None:
        """Needs the library: a forked child keeps our limit until it is adopted."""

    def at_fork(self) -> Tuple[int, int, List[Other]]:
        """Needs the library: nothing is known of the threads of a child's parent."""
        return 0, -1, []


class NoThread(PlainThread):
    """No thread at all, in a free-threaded Python: nothing holds such a thread back when a library forks, and its child waits for ever for what
    the thread had in its hands. 3.13 also keeps modules and functions for good once there is a second thread."""

    def start(self, run: Callable[[], None], leave: Callable[[], None], delay: float) -> None:
        """Keep what is to be called at exit."""
        self._leave = leave

    def hooks(self) -> Dict[str, Any]:
        """Nothing is to be done around a fork."""
        return {}


def is_free_threaded() -> bool:
    """Whether threads of this Python run at the same time."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def kernel_threads() -> int:
    """How many threads this process has for the kernel."""
    try:
        return len(Real.listdir("/proc/self/task"))
    except OSError:
        return 0


def wait_for_one_thread(seconds: float) -> None:
    """A thread that has ended for Python may still be ending for the kernel; fork looks at the kernel's count."""
    until = Clock.monotonic() + seconds
    while kernel_threads() > 1 and Clock.monotonic() < until:
        Clock.sleep(0.0002)
