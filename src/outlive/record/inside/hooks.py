"""What the program says when it ends a thread, a worker or itself: seen, written down, passed on unchanged."""

from __future__ import annotations

import builtins
import os
import sys

from .describe import describe, frames_of, masked
from .journal import Journal

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

    from .circumstances import Circumstances


#: Modules with work in the background, see ``background``.
BACKGROUND = (
    "concurrent.futures._base",
    "multiprocessing.pool",
    "asyncio.base_events",
    "tensorflow.python.client.session",
    "tensorflow.python.eager.cancellation",
)

#: Exceptions that may mean that memory was refused.
REFUSALS = ("MemoryError", "ResourceExhaustedError")

#: Errors that the program shows and goes on after: of more than one it cannot be told which it ended for.
MOST_SHOWN = 3

#: Workers whose start is remembered; a program that starts more knows itself.
MAX_WORKERS = 1000

#: With ``python -m`` the standard library runs the module.
RUNS_MODULES = ("<frozen runpy>", "/runpy.py")


def like(real: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a wrapper the name and text of what it wraps (``functools.wraps``, without loading it at start-up)."""

    def dress(wrapper: Callable[..., Any]) -> Callable[..., Any]:
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            try:
                setattr(wrapper, name, getattr(real, name))
            except (AttributeError, TypeError):
                pass
        wrapper.__wrapped__ = real  # type: ignore[attr-defined]  # what inspect.unwrap looks for
        return wrapper

    return dress


class Before:
    """A method before which something is noted; not itself on the stack, so that no traceback shows it."""

    def __init__(self, real: Callable[..., Any], note: Callable[[Any], None]) -> None:
        self._real: Any = real
        self._note = note

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self._real
        try:
            self._note(owner)
        except Exception:
            pass
        return self._real.__get__(owner, kind)


class Noticed:
    """An attribute whose first value that says something is noted; it lies where it always lay."""

    def __init__(self, name: str, note: Callable[[Any, Any], None]) -> None:
        self._name = name
        self._note = note

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        try:
            return vars(owner)[self._name]
        except (KeyError, TypeError):
            raise AttributeError(self._name) from None

    def __set__(self, owner: Any, value: Any) -> None:
        before = vars(owner).get(self._name)
        vars(owner)[self._name] = value
        try:
            if before is None and value:
                self._note(owner, value)
        except Exception:
            pass


class Hooks:
    """The functions of the standard library that are wrapped, and how to wrap them."""

    def __init__(
        self, journal: Journal, ends_well: Callable[[], None], around: Circumstances
    ) -> None:
        self._journal = journal
        self._ends_well = ends_well
        self._told: Dict[int, int] = {}  # exceptions already written, so that one is not told twice
        self._background: Optional[Dict[str, Callable[[Any], None]]] = None
        self._around = around
        self._seen_last = 0
        self._workers: Dict[int, Any] = {}  # what is known of a worker until it has ended
        self.refused: Optional[Callable[[BaseException], None]] = None
        self.scene: Optional[Callable[[BaseException, Dict[str, Any], bool], Dict[str, Any]]] = None
        self.cut_off: Optional[Callable[[Any], Dict[str, Any]]] = None
        self._shown = 0

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """Modules to wrap when they are imported."""
        return {
            "signal": self._timers,
            "threading": self._threading,
            "traceback": self._traceback,
            "concurrent.futures.process": self._pool,
            "multiprocessing.process": self._process,
            "multiprocessing.popen_fork": self._multiprocessing_child,
            "subprocess": self._subprocess,
            **{name: self._in_the_background(name) for name in BACKGROUND},
        }

    def _timers(self, module: Any) -> None:
        from .timers import Timers

        Timers(self._journal).wrap(module)

    def _in_the_background(self, name: str) -> Callable[[Any], None]:
        """What is known of these is loaded with the first of them."""

        def act(module: Any) -> None:
            if self._background is None:
                from .background import Background

                self._background = Background(self._journal, self._tell).after_import()
            self._background[name](module)
            if name == "multiprocessing.pool":
                self._pool(module)

        return act

    def install_exits(self) -> None:
        """``sys.exit`` and ``os._exit``: remember the line that called them."""
        sys.exit = self._quitting(sys.exit, "sys.exit")
        os._exit = self._quitting(os._exit, "os._exit")
        os.abort = self._quitting(os.abort, "os.abort")
        os._exit.__module__ = os.abort.__module__ = "os"  # where pickle finds them
        for name in ("exit", "quit"):  # what ``site`` gives to people who type
            quitter: Any = type(getattr(builtins, name, None))
            if quitter.__name__ == "Quitter":
                quitter.__call__ = self._quitting(quitter.__call__, "sys.exit")
                break

    def _quitting(self, real: Callable[..., Any], name: str) -> Callable[..., Any]:
        journal = self._journal

        @like(real)
        def quitting(*args: Any, **kwargs: Any) -> Any:
            try:
                given = args[1:] if real.__name__ == "__call__" else args
                code = given[0] if given else kwargs.get("status", kwargs.get("code"))
                if name == "os._exit" and not code:
                    self._ends_well()
                plain = code if isinstance(code, (int, type(None))) else masked(str(code)[:300])
                handled = sys.exc_info()[1]
                error, around = None, {}
                if handled is not None:
                    error = describe(handled)
                    around = self._around.of(handled, error, last=True)
                caller = sys._getframe(1)
                journal.note(
                    "quit",
                    call=name,
                    code=plain,
                    frames=frames_of(caller),
                    error=error,
                    around=around,
                    **(self._cut_off_at(caller) if name == "os._exit" else {}),
                )
                if handled is not None and error is not None and plain not in (None, 0):
                    if self.refused is not None and is_refusal(error):
                        self.refused(handled)
                    self._tell_the_scene(handled, error, own_thread=True)
            except Exception:
                pass
            return real(*args, **kwargs)

        return quitting

    def _cut_off_at(self, caller: Any) -> Dict[str, Any]:
        """What an end without cleanup loses; that it ended so is known without it."""
        try:
            return self.cut_off(caller) if self.cut_off is not None else {}
        except Exception:
            return {}

    def install_kill(self) -> None:
        """``os.kill`` and its kin: a program that ends itself or its own worker is not the victim of a stranger."""
        for name in ("kill", "killpg"):
            if hasattr(os, name):
                wrapper = self._killing(getattr(os, name))
                wrapper.__module__ = "os"  # where pickle finds it
                setattr(os, name, wrapper)

    def _killing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        journal = self._journal

        @like(real)
        def kill(*args: Any, **kwargs: Any) -> Any:
            try:
                target, number = args[:2]
                if number:  # signal 0 asks whether a process lives
                    frames = frames_of(sys._getframe(1))
                    group = real.__name__ == "killpg" and int(target) == os.getpgrp()
                    target = os.getpid() if group or not int(target) else target
                    journal.note("kill", target=int(target), signal=int(number), frames=frames)
            except Exception:
                pass
            return real(*args, **kwargs)

        return kill

    def look_for_uncaught(self) -> None:
        """Python keeps the exception that ended the main thread in ``sys.last_value``: no hook is needed for it."""
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if (
            isinstance(error, BaseException)
            and id(error) != self._seen_last
            and went_through_everything(error)
        ):
            self._seen_last = id(
                error
            )  # never the exception itself: it would keep the frames that raised it alive
            self._tell(error, "main")

    def taken(self, error: BaseException, told: Dict[str, Any]) -> None:
        """Somebody else tells of this one, which did not end the program (a cell's, in a notebook); what lay around it is told here."""
        self._seen_last = id(error)
        self._tell_the_scene(error, told)

    def _tell(self, error: BaseException, origin: str, thread: str = "", seen: bool = False) -> int:
        """Write an exception down, once; gives the number under which it stands in the record, or 0."""
        try:
            if origin != "main" and not self._journal.is_due("error", origin):
                return 0
            told = describe(error)
            mark = hash((id(error), told["type"], told["message"]))  # an id alone is used again
            if origin != "main" and mark in self._told:
                return self._told[mark]
            number = len(self._told) + 1
            if number <= 1000:
                self._told[mark] = number
            around = self._around.of(error, told, last=origin == "main")
            self._journal.note(
                "error",
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
                self._tell_the_scene(error, told)
            return number
        except Exception:
            return 0

    def _tell_the_scene(
        self, error: BaseException, told: Dict[str, Any], own_thread: bool = False
    ) -> None:
        """What lay around it: without it, the exception is still known.

        Not of Ctrl-C: it speaks of no file and no tensor, and to run code that was compiled just now makes Python forget that it is to
        end by SIGINT.
        """
        scene = self._scene_of(error, told, own_thread)
        if scene:
            self._journal.note("scene", **scene)

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

    def _threading(self, module: Any) -> None:
        real = module.excepthook
        tell = self._tell

        @like(real)
        def excepthook(args: Any) -> Any:
            if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
                tell(args.exc_value, "thread", str(getattr(args.thread, "name", "")))
            return real(args)

        module.excepthook = excepthook

    def _pool(self, module: Any) -> None:
        """A worker of a pool sends its error to the parent as text; what surrounds it can be seen in the worker alone."""
        journal, around = self._journal, self._around

        for name in ("_ExceptionWithTraceback", "ExceptionWithTraceback"):
            kind = getattr(module, name, None)
            if kind is not None:
                real = kind.__init__

                @like(real)
                def init(sent: Any, error: Any, *args: Any, real: Any = real) -> None:
                    try:
                        seen = around.of(error, describe(error), last=False)
                        if seen:
                            journal.note("around", around=seen)
                    except Exception:
                        pass
                    real(sent, error, *args)

                kind.__init__ = init

    def _traceback(self, module: Any) -> None:
        """In a worker of ``multiprocessing`` the exception is caught by ``_bootstrap``, which has it printed: take it there."""
        real = module.print_exc
        tell = self._tell

        @like(real)
        def print_exc(*args: Any, **kwargs: Any) -> Any:
            caller = sys._getframe(1)
            if caller.f_code.co_name == "_bootstrap":
                module = sys.modules.get("multiprocessing.process")
                error = sys.exc_info()[1]
                if (
                    error is not None
                    and caller.f_globals.get("__name__") == "multiprocessing.process"
                ):
                    name = module.current_process().name if module is not None else ""
                    tell(error, "worker", str(name))
            return real(*args, **kwargs)

        module.print_exc = print_exc
        self._shown_by(module.TracebackException)

    def _shown_by(self, kind: Any) -> None:
        """A traceback that the program has made itself, to print or to log it: it may end because of that error later.

        Everything in Python that prints or formats one goes through this class. So does TensorFlow with an error of a Python function that it
        called, of which the program gets to see the text alone. Only the first few are written down: who shows many goes on after them.
        """
        real = kind.__init__

        @like(real)
        def init(made: Any, *args: Any, **kwargs: Any) -> None:
            try:
                error: Any = args[1] if len(args) > 1 else kwargs.get("exc_value")
                if kwargs.get("_seen") is None and is_an_error(error):
                    self._shown += 1
                    if self._shown <= MOST_SHOWN:
                        told = describe(error)
                        scene = self._scene_of(error, told, True) if self._shown == 1 else {}
                        around = self._around.of(error, told, last=False)
                        self._journal.note("shown", error=told, scene=scene, around=around)
            except Exception:
                pass
            real(made, *args, **kwargs)

        kind.__init__ = init

    def _process(self, module: Any) -> None:
        """Which line started a worker, and what it is called."""

        def starting(process: Any) -> None:
            if len(self._workers) < MAX_WORKERS:
                self._workers[id(process)] = (str(process.name), frames_of(sys._getframe(2)))

        module.BaseProcess.start = Before(module.BaseProcess.start, starting)
        self._in_the_background("multiprocessing.process")(module)

    def _multiprocessing_child(self, module: Any) -> None:
        """A worker's end, as its parent learns of it."""

        def ended(popen: Any, code: Any) -> None:
            known = sys.modules.get("multiprocessing.process")
            process = next((one for one in list(known._children) if one._popen is popen), None)  # type: ignore[union-attr]
            name, frames = self._workers.pop(id(process), ("", []))
            asked = getattr(popen, "_outlive_asked", False)
            self._child_ended(popen.pid, code, name, frames, asked)

        module.Popen.returncode = Noticed("returncode", ended)
        module.Popen._send_signal = Before(module.Popen._send_signal, _asked)

    def _subprocess(self, module: Any) -> None:
        real = module.Popen._handle_exitstatus
        ended = self._child_ended

        @like(real)
        def handle_exitstatus(popen: Any, status: Any, *args: Any, **kwargs: Any) -> Any:
            result = real(popen, status, *args, **kwargs)
            if popen.returncode:
                asked = getattr(popen, "_outlive_asked", False)
                ended(popen.pid, popen.returncode, "", frames_of(sys._getframe(1)), asked)
            return result

        module.Popen._handle_exitstatus = handle_exitstatus
        module.Popen.send_signal = Before(module.Popen.send_signal, _asked)

    def _child_ended(self, pid: int, code: int, name: str, frames: List[Any], asked: bool) -> None:
        self._journal.note(
            "child", child=pid, code=code, name=masked(name), frames=frames, asked=asked
        )


def is_an_error(value: Any) -> bool:
    """An exception, and none that only says that there is no more."""
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


def _asked(popen: Any) -> None:
    """The program itself is about to signal this child; one that has ended already did not end of that."""
    ended = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if ended is None:
        popen._outlive_asked = True


def went_through_everything(error: BaseException) -> bool:
    """Whether nobody caught it: its way ends where the program began, in a module that Python itself ran.

    A test runner or a debugger puts an exception that it caught where Python puts the one that ends a program.
    """
    way = error.__traceback__
    if way is None:
        return True
    code = way.tb_frame.f_code
    return code.co_name == "<module>" or code.co_filename.endswith(RUNS_MODULES)
