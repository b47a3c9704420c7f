"""Stop the running code before the kernel's memory killer does, so that every variable lives. Loaded only where it was asked for.

Two brakes, because each stops what the other cannot. The sampler's thread sees the memory rise and sends a signal to the main thread, whose
handler raises: between two steps of Python, as Ctrl-C does, and never while a module is imported or an object is being destroyed. And a limit
on the data of the process, kept a little below what is left, refuses the one large request that would be the last (``MemoryError``, or
TensorFlow's ``ResourceExhaustedError``), also in native code and however fast it comes.

Who wants to save before the end (``outlive.on_pressure``, ``outlive.PressureCallback``) is told first and waited for; a save that is under way
in the main thread is never left half done.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal without the enumerations, which take long to load
import ctypes
import os
import resource
import sys

from ..notes import kinds, links
from ..notes.checkpoints import is_saving
from ..start.clock import Clock
from ..start.code_owner import HERE, is_recorder
from ..start.frames import current_frames
from ..start.methods import like
from ..start.real import Real
from .meter import METER, private_bytes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Tuple

#: Of the smallest limit above the program.
THRESHOLD = 0.85

#: After a stop the memory is still full: only what grows by so much more is stopped again.
STEP = 0.03

#: Who saves between two steps of training is given the rest of the step, unless memory passes this share first.
LAST = 0.92

#: A callback that saves is waited for, with the main thread standing still, but not for ever: it may wait for the main thread.
SECONDS_TO_SAVE = 60.0

#: Code of libraries that saves in several steps, which belong together.
SAVING_FILES = (
    "/callbacks/backup_and_restore.py",
    "/callbacks/model_checkpoint.py",
    "/checkpoint/checkpoint_management.py",
    "/outlive/keep/pressure/watch.py",
)

#: When others (children, neighbours in the container) hold more than this process, stopping it would not help.
OWN_SHARE = 0.5

#: What is left for everything that must not be refused: threads, the interpreter, the one who shows the error.
HEADROOM = 0.06
HEADROOM_BYTES = 32_000_000

#: After a stop the headroom is there to be used, for so long: an error wants to be shown.
SECONDS_OF_EASE = 5.0
EASED_BYTES = 8_000_000

#: The supervisor samples 10 to 20 times a second near the limit; both are generous for a busy machine.
SECONDS_OF_PEAK = 1.0
SECONDS_OF_DOUBT = 3.0

SIGNAL = _signal.SIGRTMIN + 9

#: What a refused request raises, and the stop itself. TensorFlow's is known by its name: it is not imported here.
REFUSALS = ("MemoryError", "MemoryBrake", "ResourceExhaustedError")

#: Of IPython: what runs cells, and shows what they raise.
SHELL_MODULE = "IPython.core.interactiveshell"

DEEPEST = 3000

#: Of Outlive, what runs code of the user's for a long time: its loops over data. What else is Outlive's own is never left half done.
CARRYING = (f"{HERE}/keep/", "/inside/tfdata/")


def headroom_of(limit: int) -> int:
    """What is not handed out."""
    return max(HEADROOM_BYTES, int(HEADROOM * limit))


def mark_of(limit: int) -> int:
    """From here on the program is stopped: below a small limit a little earlier, before requests are refused."""
    return min(int(THRESHOLD * limit), limit - headroom_of(limit) - int(STEP * limit))


class MemoryBrake(BaseException):
    """The code was stopped because its memory came near the limit. No ``Exception``: ``except Exception: pass`` must not swallow it."""

    __module__ = "outlive"

    def __init__(
        self, text: str = "stopped here, before Linux would have killed the program."
    ) -> None:
        super().__init__(text)


class Brake:
    """Watches the memory of this process, when it is on."""

    def __init__(
        self,
        folder: str,
        is_own: Callable[[str], bool],
        note: Callable[..., None],
        savers: Callable[[], Any] = lambda: None,
        in_force: Callable[[Optional[Tuple[int, int]]], None] = lambda limit: None,
    ) -> None:
        self._limit_path = links.link_in(folder, links.LIMIT)
        self._is_own = is_own
        self._note = note
        self._savers = savers
        self._in_force = (
            in_force  # told the program's own limit on data while another is in its place
        )
        self._stopping = False
        self._stops = self._noted_stops = 0
        self._resting = False  # a magic of Outlive's runs
        self._pid = os.getpid()
        self._main = 0
        self._wanted: Optional[Tuple[int, int]] = None
        #: The last word of what all use, what this process used when it came and at most just before, and when that was.
        self._told = (0, 0, 0, 0.0)
        self._peak = (0, 0.0)  #: the most that this process used in the last second, and when
        self._next = 0
        self._eased_until = 0.0
        self._showing = False
        self._spared: Optional[int] = None
        self._data_limit = resource.getrlimit(resource.RLIMIT_DATA)

    def on(self) -> bool:
        """To be called in the main thread; whether it could be done."""
        if _signal.getsignal(SIGNAL) is not _signal.SIG_DFL and not self._main:
            return False  # the program uses this signal itself
        _signal.signal(SIGNAL, self._stop)
        self._main = Real.get_ident()
        self.let_errors_be_shown(sys.modules.get(SHELL_MODULE))
        self._keep_headroom()  # before the next tick a cell can fill half a gigabyte
        return True

    def off(self) -> None:
        """Nothing is stopped or refused any more; the handler stays, for a signal that is under way."""
        self._main = 0
        resource.setrlimit(resource.RLIMIT_DATA, self._data_limit)
        self._in_force(None)

    def consider(self, rss: int) -> None:
        """Called at every tick with the memory in use."""
        if not self._main or os.getpid() != self._pid:
            return
        if self._stops != self._noted_stops:  # here, not where it stops: a handler takes no locks
            self._noted_stops = self._stops
            self._note(kinds.BRAKE, stops=self._stops)
        limit, used = self._keep_headroom()
        mark = mark_of(limit)
        if not limit or max(rss, used) < mark:
            self._next = 0
            return
        own = private_bytes()
        used = max(own, used)
        if used < mark or own < OWN_SHARE * used or own < self._next:
            return
        if not self._savers_are_ready(used, limit):
            return
        self._wanted = (own, limit)
        _signal.pthread_kill(self._main, SIGNAL)

    def _savers_are_ready(self, used: int, limit: int) -> bool:
        """Tell them; whether nobody is left who will save by himself in a moment."""
        savers = self._savers()
        if savers is None:
            return True
        try:
            if savers.tell(used, limit):
                self._ease()  # a thread and what it writes take memory too
            return used >= LAST * limit or not savers.owes()
        except Exception:
            return True

    def _let_them_save(self, own: int, limit: int) -> bool:
        """In the main thread, which stands still meanwhile. False: there is no longer a reason to stop, or not yet."""
        savers = self._savers()
        if savers is None:
            return True
        self._stopping = True
        try:
            savers.finish(SECONDS_TO_SAVE)
            used = self._limit()[1]
            freed = private_bytes() < own - int(STEP * limit)
            return not freed and (used >= LAST * limit or not savers.owes())
        finally:
            self._stopping = False

    def let_errors_be_shown(self, module: Any) -> None:
        """In a notebook: what shows an error needs memory too (it imports, it reads sources), and must not be stopped half-way."""
        shell: Any = getattr(module, "InteractiveShell", None)
        real = getattr(shell, "showtraceback", None)
        if real is None or hasattr(real, "__wrapped__"):
            return

        @like(real)
        def showtraceback(*args: Any, **kwargs: Any) -> Any:
            hide_the_brake(sys.exc_info()[1])
            if not self._main:
                return real(*args, **kwargs)
            self._ease()
            self._showing = True
            try:
                return real(*args, **kwargs)
            finally:
                self._showing = False

        shell.showtraceback = showtraceback

    def undisturbed(self, work: Callable[[], Any]) -> Any:
        """Call something of Outlive's own, a magic: it is not stopped. A request that does not fit is refused, as any other: else it would be the last."""
        self._resting = True
        try:
            return work()
        finally:
            self._resting = False

    def _ease(self) -> None:
        self._eased_until = Clock.monotonic() + SECONDS_OF_EASE
        self._keep_headroom()

    def _keep_headroom(self) -> Tuple[int, int]:
        """Let so much be asked for as is left, and no more. What the limit is, and what is used of it."""
        limit, used = self._limit()
        data, hard = METER.data(), self._data_limit[1]
        if limit and data:
            eased = Clock.monotonic() < self._eased_until or is_saving(self._main)
            kept = EASED_BYTES if eased else headroom_of(limit)
            room = max(0, limit - used - kept)
            soft = data + room if hard == resource.RLIM_INFINITY else min(data + room, hard)
            self._in_force(self._data_limit)
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        return limit, used

    def _limit(self) -> Tuple[int, int]:
        """The smallest limit, and what is used of it by all that share it: as the supervisor tells it, but for what was given back since.

        Its word is up to a tick old. By it, the first cell after ``del`` got no room at all, not even for the stack of a thread, and native
        code that cannot start a thread aborts (libzmq). A word may also come after the ``del`` and speak of the time before it: only one
        that stands for longer than the supervisor needs for the next counts as it is.
        """
        limit, told = METER.limit(self._limit_path)
        own, now = private_bytes(), Clock.monotonic()
        if own >= self._peak[0] or now - self._peak[1] > SECONDS_OF_PEAK:
            self._peak = (own, now)
        if told != self._told[0]:
            self._told = (told, own, self._peak[0], now)
        _, then, before, since = self._told
        given_back = max(0, (before if now - since < SECONDS_OF_DOUBT else then) - own)
        return limit, max(told - given_back, own)

    def _stop(self, number: int, frame: Any) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None or not self._main or self._showing or self._stopping:
            return
        own, limit = wanted
        if self._is_stopped_already():
            self._next = own + int(STEP * limit)
            self._ease()
            return
        if not self._may_stop(frame):
            if not self._is_the_users(frame):
                self._stop_the_others(own, limit)
            return
        self._ease()
        if not self._let_them_save(own, limit):
            return
        self._next = own + int(STEP * limit)
        self._stops += 1
        self._ease()
        raise MemoryBrake(
            f"stopped here, before Linux would have killed the program: it uses {own / 1e9:.2f} GB, the limit is "
            f"{limit / 1e9:.2f} GB. Every variable is still there: delete what you do not need, then continue."
        )

    def _is_stopped_already(self) -> bool:
        """Whether a refused request unwinds the program, or is dealt with: its ``finally`` and ``except`` are not stopped, unless they fill memory too."""
        refusal = sys.exc_info()[1]
        if refusal is None or id(refusal) == self._spared:
            return False
        if not any(base.__name__ in REFUSALS for base in type(refusal).__mro__):
            return False
        self._spared = id(refusal)
        return True

    def _is_the_users(self, frame: Any) -> bool:
        """Whether code of the user's own runs there; if not, the main thread has ended, or only waits for the others to end."""
        while frame is not None:
            if self._is_own(frame.f_code.co_filename):
                return True
            frame = frame.f_back
        return False

    def _stop_the_others(self, own: int, limit: int) -> None:
        """The main thread is over, and other threads go on to fill the memory: they are stopped likewise."""
        self._next = own + int(STEP * limit)
        for ident, frame in list(current_frames().items()):
            if ident != self._main and not is_saving(ident) and self._may_leave(frame):
                raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
                raise_in(ctypes.c_ulong(ident), ctypes.py_object(MemoryBrake))
                self._stops += 1

    def _may_stop(self, frame: Any) -> bool:
        """Only code of the user's own, and nothing that must not be left half done."""
        return not self._resting and not is_saving(self._main) and self._may_leave(frame)

    def _may_leave(self, frame: Any) -> bool:
        own, depth = False, 0
        while frame is not None and depth < DEEPEST:
            code = frame.f_code
            if not own and _is_outlives(code.co_filename):
                return False
            if code.co_name == "__del__" or code.co_filename.startswith("<frozen importlib"):
                return False
            if code.co_filename.endswith(SAVING_FILES):
                return False
            own = own or self._is_own(code.co_filename)
            frame, depth = frame.f_back, depth + 1
        return own


def _is_outlives(file: str) -> bool:
    """Whether a file is Outlive's, and not one that only carries the user's code."""
    ours = file.startswith(f"{HERE}/") or is_recorder(file)
    return ours and not any(part in file for part in CARRYING)


def hide_the_brake(error: Any) -> None:
    """Take the brake's own frames off the end of an error, and of those that it was raised from: what was stopped stands above them."""
    for _ in range(DEEPEST):
        if not isinstance(error, BaseException):
            return
        step = error.__traceback__ if isinstance(error, MemoryBrake) else None
        while step is not None:
            if step.tb_next is not None and step.tb_next.tb_frame.f_code.co_filename == __file__:
                step.tb_next = None
            step = step.tb_next
        error = error.__context__ if error.__cause__ is None else error.__cause__
