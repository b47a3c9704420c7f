"""Work in the background: errors that are stored for somebody to ask, who asks for them, who closes and who cancels.

Loaded when the program first imports one of the modules concerned. Methods are preceded by a note (``Before``), not wrapped, wherever
that does: then no traceback shows anything of ours.
"""

from __future__ import annotations

import _thread
import sys

from .describe import frames_of
from .hooks import Before, like
from .sampler import thread_name

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Set

    from .journal import Journal

#: On a future or result of the program's: that somebody asked, and under which number its error is recorded.
ASKED = "_outlive_asked"
MARK = "_outlive_mark"

#: What asyncio says of a task whose error nobody asked for.
NEVER_RETRIEVED = "never retrieved"


class Background:
    """What is wrapped, and what is known of the errors that were told."""

    def __init__(self, journal: Journal, tell: Callable[..., int]) -> None:
        self._journal = journal
        self._tell = tell
        self._children: Set[int] = set()

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """Modules to wrap when they are imported."""
        return {
            "concurrent.futures._base": self._futures,
            "multiprocessing.pool": self._pool,
            "multiprocessing.process": self._process,
            "asyncio.base_events": self._event_loop,
            "tensorflow.python.client.session": self._session,
            "tensorflow.python.eager.cancellation": self._cancellation,
        }

    def _futures(self, module: Any) -> None:
        future = module.Future
        real = future.set_exception

        @like(real)
        def set_exception(future: Any, exception: Any) -> Any:
            self._failed(future, exception)
            return real(future, exception)

        future.set_exception = set_exception
        for name in ("result", "exception"):
            setattr(future, name, Before(getattr(future, name), self._asked))
        future.cancel = Before(future.cancel, self._cancelling)

    def _pool(self, module: Any) -> None:
        """``apply_async`` and ``map_async``: the error of a worker lies in the result until somebody gets it."""
        for kind in (module.ApplyResult, module.MapResult):
            kind._set = self._setting(kind._set)
        module.ApplyResult.get = Before(module.ApplyResult.get, self._asked)

    def _setting(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @like(real)
        def set_(result: Any, index: Any, outcome: Any) -> Any:
            try:
                success, value = outcome
                if not success and vars(result).get("_error_callback") is None:
                    self._failed(result, value)
            except Exception:
                pass
            return real(result, index, outcome)

        return set_

    def _failed(self, holder: Any, error: Any) -> None:
        """An error was stored where somebody may ask for it."""
        try:
            if isinstance(error, BaseException):
                names = vars(holder)
                thread = thread_name(_thread.get_ident())
                mark = self._tell(error, "future", thread, seen=bool(names.get(ASKED)))
                # Somebody may have begun to wait while the error was told: each side writes first and looks then.
                if mark:
                    names[MARK] = mark
                if mark and names.get(ASKED):
                    self._journal.note("seen", mark=mark)
        except Exception:
            pass

    def _asked(self, holder: Any) -> None:
        names = vars(holder)
        names[ASKED] = True
        mark = names.pop(MARK, None)
        if mark is not None:
            self._journal.note("seen", mark=mark)

    def _process(self, module: Any) -> None:
        """Whether the parent looked at how a worker ended: ``exitcode`` is where it is told."""
        real = module.BaseProcess.exitcode

        def exitcode(process: Any) -> Any:
            code = real.fget(process)
            try:
                if code and process.pid not in self._children and len(self._children) < 1000:
                    self._children.add(process.pid)
                    self._journal.note("seen", child=process.pid)
            except Exception:
                pass
            return code

        module.BaseProcess.exitcode = property(exitcode, doc=real.__doc__)

    def _event_loop(self, module: Any) -> None:
        real = module.BaseEventLoop.call_exception_handler

        @like(real)
        def call_exception_handler(loop: Any, context: Any) -> Any:
            try:
                error = context.get("exception")
                told = NEVER_RETRIEVED in str(context.get("message", ""))
                if told and isinstance(error, BaseException) and loop._exception_handler is None:
                    self._tell(error, "future", thread_name(_thread.get_ident()))
            except Exception:
                pass
            return real(loop, context)

        module.BaseEventLoop.call_exception_handler = call_exception_handler

    def _session(self, module: Any) -> None:
        module.BaseSession.close = Before(module.BaseSession.close, self._closing)

    def _closing(self, session: Any) -> None:
        if not getattr(session, "_closed", False):
            self._note_act("closed", "session", id(session))

    def _cancelling(self, future: Any) -> None:
        if getattr(future, "_state", "") == "PENDING":
            self._note_act("cancelled", "future", id(future))

    def _cancellation(self, module: Any) -> None:
        manager = module.CancellationManager

        def cancelling(manager: Any) -> None:
            self._note_act("cancelled", "TensorFlow's cancellation manager", id(manager))

        manager.start_cancel = Before(manager.start_cancel, cancelling)

    def _note_act(self, kind: str, what: str, number: int) -> None:
        frames = frames_of(sys._getframe(3))  # past this method, the one that calls it, and Before
        thread = thread_name(_thread.get_ident())
        self._journal.note(kind, what=what, object=number, thread=thread, frames=frames)
