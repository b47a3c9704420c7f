"""What the program says when it ends a thread, a worker or itself: seen, written down, passed on unchanged."""

from __future__ import annotations

import _thread
import sys

from ..notes import kinds
from ..notes.describe import describe, frames_of, masked, programs_frame
from ..notes.journal import Journal
from ..notes.tf_private import CANCELLATION, SESSIONS
from ..notes.words import shown_words, uncaught, words_of_summary
from ..start.calls import programs_own
from ..start.methods import Before, Noticed, in_place_of, quietly
from ..start.real import Real
from .endings import Endings

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set

    from ..start.calls import Calls
    from .limit_errors import Circumstances


#: Modules with work in the background, see ``background``.
BACKGROUND = (
    "concurrent.futures._base",
    "multiprocessing.pool",
    "asyncio.base_events",
    SESSIONS,
    CANCELLATION,
)

#: Exceptions that may mean that memory was refused.
REFUSALS = ("MemoryError", "ResourceExhaustedError")

#: Errors that the program shows and goes on after: of more than one it cannot be told which it ended for.
MOST_SHOWN = 3

#: Workers whose start is remembered; a program that starts more knows itself.
MAX_WORKERS = 1000

#: With ``python -m`` the standard library runs the module.
RUNS_MODULES = ("<frozen runpy>", "/runpy.py")


class Hooks:
    """The functions of the standard library that are wrapped, and how to wrap them."""

    def __init__(
        self, journal: Journal, ends_well: Callable[[], None], around: Circumstances
    ) -> None:
        self._journal = journal
        self.endings = Endings(journal, around, ends_well)
        self.endings.handled = self._handled_at_the_end
        self._told: Dict[int, int] = {}  # exceptions already written, so that one is not told twice
        self._background: Optional[Dict[str, Callable[[Any], None]]] = None
        self._around = around
        self._seen_last = 0
        self._workers: Dict[int, Any] = {}  # what is known of a worker until it has ended
        self._looked: Set[int] = set()  # workers at whose exit code the program has looked
        self.refused: Optional[Callable[[BaseException], None]] = None
        self.scene: Optional[Callable[[BaseException, Dict[str, Any], bool], Dict[str, Any]]] = None
        self.said: Callable[[int], str] = lambda mark: ""  # what was written to stderr since
        self.said_so_far: Callable[[], int] = lambda: 0
        self.about_to_show: Callable[[Any], None] = lambda error: None  #: takes our frames off it
        self._shown = 0
        self._showing = (
            False  # Python is about to write of the exception that ended the main thread
        )
        self._marks: Dict[int, int] = {}  # what was on stderr before, of each thread that failed
        self._summarised: Dict[int, str] = {}  # the words that Python has asked for meanwhile

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """Modules to wrap when they are imported."""
        return {
            "traceback": self._traceback,
            "concurrent.futures.process": self._pool,
            "multiprocessing.process": self._process,
            "multiprocessing.popen_fork": self._multiprocessing_child,
            "subprocess": self._subprocess,
            "logging": self._logging,
            **{name: self._in_the_background(name) for name in BACKGROUND},
        }

    def _logging(self, module: Any) -> None:
        from .logged import Logged

        Logged(self._journal).after_import(module)

    def _in_the_background(self, name: str) -> Callable[[Any], None]:
        """Load what handles errors of background threads, with the first of them."""

        def act(module: Any) -> None:
            if self._background is None:
                from .background import Background

                self._background = Background(self._journal, self._tell).after_import()
            self._background[name](module)
            if name == "multiprocessing.pool":
                self._pool(module)

        return act

    def install(self, calls: Calls) -> None:
        """What ends the program, and what Python calls with an exception that nobody caught, in the main thread or in another."""
        self.endings.install(calls)
        calls.watch(sys, "excepthook", before=self._begins_to_end, after=self._has_shown)
        # ``threading`` has it from there.
        calls.watch(_thread, "_excepthook", self._begins, self._has_shown_of_a_thread)

    def _handled_at_the_end(self, error: BaseException, told: Dict[str, Any]) -> None:
        """The program leaves while it handles an exception."""
        if self.refused is not None and is_refusal(told):
            self.refused(error)
        self._tell_the_scene(error, told, own_thread=True)

    def _begins(self, _args: Any, _names: Any) -> None:
        self._marks[Real.get_ident()] = self.said_so_far()
        self._summarised.clear()

    def _begins_to_end(self, args: Any, names: Any) -> None:
        self._showing = True
        self.about_to_show(args[1])
        self._begins(args, names)

    def _has_shown(self, args: Any, _names: Any, _result: Any) -> None:
        self._showing = False
        words = self._words_shown(args[1])
        if uncaught() is args[1]:
            self.look_for_uncaught(words)

    def _has_shown_of_a_thread(self, args: Any, _names: Any, _result: Any) -> None:
        error = args[0].exc_value
        words = self._words_shown(error)
        if error is not None and not isinstance(error, SystemExit):
            self._tell(error, "thread", str(getattr(args[0].thread, "name", "")), words=words)

    def _words_shown(self, error: Any) -> Dict[int, str]:
        mark = self._marks.pop(Real.get_ident(), None)
        if error is None or mark is None:
            return {}
        return {**shown_words(error, self.said(mark)), **self._summarised}

    def look_for_uncaught(
        self, words: Optional[Dict[int, str]] = None, leaving: bool = False, error: Any = None
    ) -> None:
        """Python keeps the exception that ended the main thread. While it is shown, its words are about to be known."""
        error = uncaught() if error is None else error
        if (
            isinstance(error, BaseException)
            and (leaving or not self._showing)
            and id(error) != self._seen_last
            and went_through_everything(error)
        ):
            self._seen_last = id(
                error
            )  # never the exception itself: it would keep the frames that raised it alive
            self._tell(error, "main", words=words, own_thread=words is not None)

    def taken(self, error: BaseException, told: Dict[str, Any]) -> None:
        """Somebody else tells of this one, which did not end the program (a cell's, in a notebook); what lay around it is told here."""
        self._seen_last = id(error)
        self._tell_the_scene(error, told)

    def _tell(
        self,
        error: BaseException,
        origin: str,
        thread: str = "",
        seen: bool = False,
        words: Optional[Dict[int, str]] = None,
        own_thread: bool = False,
    ) -> int:
        """Write an exception down, once; gives the number under which it stands in the record, or 0."""
        try:
            if origin != "main" and not self._journal.is_due(kinds.ERROR, origin):
                return 0
            told = describe(error, words=words)
            mark = hash((id(error), told["type"], told["message"]))  # an id alone is used again
            if origin != "main" and mark in self._told:
                return self._told[mark]
            number = len(self._told) + 1
            if number <= 1000:
                self._told[mark] = number
            around = self._around.of(error, told, last=origin == "main")
            self._journal.note(
                kinds.ERROR,
                origin=origin,
                thread=masked(thread),
                error=told,
                mark=number,
                seen=seen,
                around=around,
            )
            if origin in ("main", "worker") and self.refused is not None and is_refusal(told):
                self.refused(error)
            if origin in ("main", "worker"):
                self._tell_the_scene(error, told, own_thread)
            return number
        except Exception as problem:
            if programs_own(problem) is not None:
                raise
            return 0

    def _tell_the_scene(
        self, error: BaseException, told: Dict[str, Any], own_thread: bool = False
    ) -> None:
        """Note the values around an exception; if that fails, the exception is still known.

        Not of Ctrl-C: it speaks of no file and no tensor, and to run code that was compiled just now makes Python forget that it is to
        end by SIGINT.
        """
        scene = self._scene_of(error, told, own_thread)
        if scene:
            self._journal.note(kinds.SCENE, **scene)

    def _scene_of(
        self, error: BaseException, told: Dict[str, Any], own_thread: bool
    ) -> Dict[str, Any]:
        """``own_thread``: the program's own thread looks, which goes on with its work afterwards."""
        try:
            if self.scene is not None and not isinstance(error, KeyboardInterrupt):
                return self.scene(error, told, own_thread)
        except Exception:
            pass
        return {}

    def _pool(self, module: Any) -> None:
        """A worker of a pool sends its error to the parent as text; what surrounds it can be seen in the worker alone."""
        journal, around = self._journal, self._around

        for name in ("_ExceptionWithTraceback", "ExceptionWithTraceback"):
            kind = getattr(module, name, None)
            if kind is not None:
                real = kind.__init__

                @in_place_of(real)
                def init(sent: Any, error: Any, *args: Any, real: Any = real) -> None:
                    try:
                        seen = around.of(error, describe(error), last=False)
                        if seen:
                            journal.note(kinds.AROUND, around=seen)
                    except Exception:
                        pass
                    real(sent, error, *args)

                kind.__init__ = init

    def _traceback(self, module: Any) -> None:
        """A traceback that the program has made itself, to print or to log it: it may end because of that error later.

        Everything in Python that prints or formats one goes through this class. So does TensorFlow with an error of a Python function that it
        called, of which the program gets to see the text alone. Only the first few are written down: who shows many goes on after them.
        In a worker of ``multiprocessing`` the exception that ends it is caught by ``_bootstrap``, which has it printed.
        """
        kind = module.TracebackException
        real = kind.__init__

        @in_place_of(real)
        def init(made: Any, *args: Any, **kwargs: Any) -> None:
            error: Any = args[1] if len(args) > 1 else kwargs.get("exc_value")
            self.about_to_show(error)
            real(made, *args, **kwargs)
            if kwargs.get("_seen") is None and is_an_error(error):
                quietly(self._note_shown, error, made)

        kind.__init__ = init

    def _note_shown(self, error: BaseException, made: Any) -> None:
        words = words_of_summary(error, made)
        self._summarised.update(words)
        worker = worker_that_fails(sys._getframe(3))
        if worker is not None and error is sys.exc_info()[1]:
            self._tell(error, "worker", worker, words=words)
        self._shown += 1
        if self._shown <= MOST_SHOWN:
            told = describe(error, words=words)
            scene = self._scene_of(error, told, True) if self._shown == 1 else {}
            around = self._around.of(error, told, last=False)
            self._journal.note(kinds.SHOWN, error=told, scene=scene, around=around)

    def _process(self, module: Any) -> None:
        """Which line started a worker and what it is called; whether its parent looked at how it ended."""

        def checked(process: Any) -> None:
            asking = sys._getframe(2)
            if asking.f_code.co_name == "start" and len(self._workers) < MAX_WORKERS:
                self._workers[id(process)] = (str(process.name), frames_of(asking.f_back))
            elif asking.f_code.co_name == "exitcode" and process._popen is not None:
                self._looked_at(process._popen.pid, process._popen.returncode)

        module.BaseProcess._check_closed = Before(module.BaseProcess._check_closed, checked)

    def _looked_at(self, pid: int, code: Any) -> None:
        if code and pid not in self._looked and len(self._looked) < MAX_WORKERS:
            self._looked.add(pid)
            self._journal.note(kinds.SEEN, child=pid)

    def _multiprocessing_child(self, module: Any) -> None:
        """A worker's end, as its parent learns of it."""

        def ended(popen: Any, code: Any) -> None:
            if not code:
                return
            known = sys.modules.get("multiprocessing.process")
            process = next((one for one in list(known._children) if one._popen is popen), None)  # type: ignore[union-attr]
            name, frames = self._workers.pop(id(process), ("", []))
            self._child_ended(popen.pid, code, name, frames)
            asking = sys._getframe(3).f_back
            if asking is not None and asking.f_code.co_name == "exitcode":
                self._looked_at(popen.pid, code)

        Noticed("returncode", ended).put_on(module.Popen)

    def _subprocess(self, module: Any) -> None:
        real = module.Popen._handle_exitstatus

        @in_place_of(real)
        def handle_exitstatus(popen: Any, status: Any, *args: Any, **kwargs: Any) -> Any:
            result = real(popen, status, *args, **kwargs)
            if popen.returncode:
                frames = frames_of(programs_frame())
                quietly(self._child_ended, popen.pid, popen.returncode, "", frames)
            return result

        module.Popen._handle_exitstatus = handle_exitstatus

    def _child_ended(self, pid: int, code: int, name: str, frames: List[Any]) -> None:
        asked = pid in self.endings.signalled  # by the program itself
        self.endings.signalled.discard(pid)
        self._journal.note(
            kinds.CHILD, child=pid, code=code, name=masked(name), frames=frames, asked=asked
        )


def is_an_error(value: Any) -> bool:
    """Tell whether an exception is an error, and not the end of an iteration."""
    return isinstance(value, BaseException) and not isinstance(
        value, (StopIteration, GeneratorExit)
    )


def is_refusal(told: Dict[str, Any]) -> bool:
    """Whether an exception, or what led to it, says that memory was refused."""
    names = [str(told.get("type", "")), *map(str, told.get("bases", ()))]
    if any(name.rpartition(".")[2] in REFUSALS for name in names):
        return True
    cause = told.get("cause")
    return isinstance(cause, dict) and is_refusal(cause)


def worker_that_fails(frame: Any) -> Optional[str]:
    """The name of the worker whose exception is printed, if it is the end of one."""
    for _ in range(4):
        if frame is None:
            return None
        if frame.f_code.co_name == "_bootstrap":
            module = sys.modules.get("multiprocessing.process")
            own = frame.f_globals.get("__name__") == "multiprocessing.process"
            return str(module.current_process().name) if module is not None and own else None
        frame = frame.f_back
    return None


def went_through_everything(error: BaseException) -> bool:
    """Whether nobody caught it: its way ends where the program began, in a module that Python itself ran.

    A test runner or a debugger puts an exception that it caught where Python puts the one that ends a program.
    """
    way = error.__traceback__
    if way is None:
        return True
    code = way.tb_frame.f_code
    return code.co_name == "<module>" or code.co_filename.endswith(RUNS_MODULES)
