"""What the program says when it ends a thread, a worker or itself: seen, written down, passed on unchanged."""

from __future__ import annotations

import builtins
import os
import sys

from .describe import describe, frames_of
from .journal import Journal

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Set


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


class Hooks:
    """The functions of the standard library that are wrapped, and how to wrap them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._told: Set[int] = (
            set()
        )  # marks of exceptions already written, so that one is not told twice
        self._seen_last: Any = None

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """Modules to wrap when they are imported."""
        return {
            "threading": self._threading,
            "concurrent.futures._base": self._futures,
            "multiprocessing.process": self._process,
            "multiprocessing.popen_fork": self._multiprocessing_child,
            "subprocess": self._subprocess,
        }

    def install_exits(self) -> None:
        """``sys.exit`` and ``os._exit``: remember the line that called them."""
        sys.exit = self._quitting(sys.exit, "sys.exit")
        os._exit = self._quitting(os._exit, "os._exit")
        os.abort = self._quitting(os.abort, "os.abort")
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
                plain = code if isinstance(code, (int, type(None))) else str(code)[:300]
                journal.note("quit", call=name, code=plain, frames=frames_of(sys._getframe(1)))
            except Exception:
                pass
            return real(*args, **kwargs)

        return quitting

    def install_kill(self) -> None:
        """``os.kill``: a program that ends itself or its own worker is not the victim of a stranger."""
        real, journal = os.kill, self._journal

        @like(real)
        def kill(pid: Any, sig: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                if sig:  # signal 0 asks whether a process lives
                    frames = frames_of(sys._getframe(1))
                    journal.note("kill", target=int(pid), signal=int(sig), frames=frames)
            except Exception:
                pass
            return real(pid, sig, *args, **kwargs)

        os.kill = kill

    def look_for_uncaught(self) -> None:
        """Python keeps the exception that ended the main thread in ``sys.last_value``: no hook is needed for it."""
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if isinstance(error, BaseException) and error is not self._seen_last:
            self._seen_last = error
            self._tell(error, "main")

    def _tell(self, error: BaseException, origin: str, thread: str = "") -> None:
        try:
            if origin != "main" and not self._journal.has_room("error", origin):
                return
            told = describe(error)
            mark = hash((id(error), told["type"], told["message"]))  # an id alone is used again
            if origin != "main" and mark in self._told:
                return
            if len(self._told) < 1000:
                self._told.add(mark)
            self._journal.note("error", origin=origin, thread=thread, error=told)
        except Exception:
            pass

    def _threading(self, module: Any) -> None:
        real = module.excepthook
        tell = self._tell

        @like(real)
        def excepthook(args: Any) -> Any:
            if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
                tell(args.exc_value, "thread", str(getattr(args.thread, "name", "")))
            return real(args)

        module.excepthook = excepthook

    def _futures(self, module: Any) -> None:
        real = module.Future.set_exception
        tell = self._tell

        @like(real)
        def set_exception(future: Any, exception: Any) -> Any:
            if isinstance(exception, BaseException):
                tell(exception, "future")
            return real(future, exception)

        module.Future.set_exception = set_exception

    def _process(self, module: Any) -> None:
        """In a worker of ``multiprocessing`` the exception is caught and printed by ``_bootstrap``; take it before that."""
        real = module.BaseProcess._bootstrap
        tell = self._tell

        @like(real)
        def bootstrap(process: Any, *args: Any, **kwargs: Any) -> Any:
            run = process.run

            def watched() -> Any:
                try:
                    return run()
                except SystemExit:
                    raise
                except BaseException as error:
                    tell(error, "worker", str(process.name))
                    raise

            process.run = watched
            return real(process, *args, **kwargs)

        module.BaseProcess._bootstrap = bootstrap

    def _multiprocessing_child(self, module: Any) -> None:
        """A worker's end, as its parent learns of it."""
        real_init, real_poll = module.Popen.__init__, module.Popen.poll
        real_send = module.Popen._send_signal
        ended = self._child_ended

        @like(real_init)
        def init(popen: Any, process_obj: Any, *args: Any, **kwargs: Any) -> None:
            popen._outlive_started = (str(process_obj.name), frames_of(sys._getframe(1)))
            real_init(popen, process_obj, *args, **kwargs)

        @like(real_poll)
        def poll(popen: Any, *args: Any, **kwargs: Any) -> Any:
            before = popen.returncode
            after = real_poll(popen, *args, **kwargs)
            if before is None and after:
                name, frames = getattr(popen, "_outlive_started", ("", []))
                ended(popen.pid, after, name, frames, getattr(popen, "_outlive_asked", False))
            return after

        @like(real_send)
        def send_signal(popen: Any, sig: Any) -> Any:
            popen._outlive_asked = True
            return real_send(popen, sig)

        module.Popen.__init__ = init
        module.Popen.poll = poll
        module.Popen._send_signal = send_signal

    def _subprocess(self, module: Any) -> None:
        real = module.Popen._handle_exitstatus
        real_send = module.Popen.send_signal
        ended = self._child_ended

        @like(real)
        def handle_exitstatus(popen: Any, status: Any, *args: Any, **kwargs: Any) -> Any:
            result = real(popen, status, *args, **kwargs)
            if popen.returncode:
                asked = getattr(popen, "_outlive_asked", False)
                ended(popen.pid, popen.returncode, "", frames_of(sys._getframe(1)), asked)
            return result

        @like(real_send)
        def send_signal(popen: Any, sig: Any) -> Any:
            popen._outlive_asked = True
            return real_send(popen, sig)

        module.Popen._handle_exitstatus = handle_exitstatus
        module.Popen.send_signal = send_signal

    def _child_ended(self, pid: int, code: int, name: str, frames: List[Any], asked: bool) -> None:
        self._journal.note("child", child=pid, code=code, name=name, frames=frames, asked=asked)
