"""Work in the background: errors that are stored for somebody to ask, who asks for them, who closes and who cancels.

Loaded when the program first imports one of the modules concerned. What the program calls is left as it is: seen are attributes that its
methods set and get, and private methods that they call.
"""

from __future__ import annotations

import _weakref
import sys

from ..notes import kinds
from ..notes.describe import frames_of, programs_frame
from ..notes.tf_private import CANCELLATION, CANCELLATION_IS_USED, SESSION_IS_CLOSED, SESSIONS
from ..start.methods import Before, Noticed, like, quietly
from ..start.real import Real
from .stack_sampler import thread_name

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Tuple

    from ..notes.journal import Journal

#: What asyncio says of a task whose error nobody asked for.
NEVER_RETRIEVED = "never retrieved"


class Background:
    """What is wrapped, and what is known of the errors that were told."""

    def __init__(self, journal: Journal, tell: Callable[..., int]) -> None:
        self._journal = journal
        self._tell = tell
        #: Under which number the error of a future or result is recorded, while nobody has asked for it.
        self._marks: Dict[int, Tuple[Any, int]] = {}

    def after_import(self) -> Dict[str, Callable[[Any], None]]:
        """Modules to wrap when they are imported."""
        return {
            "concurrent.futures._base": self._futures,
            "multiprocessing.pool": self._pool,
            "asyncio.base_events": self._event_loop,
            SESSIONS: self._session,
            CANCELLATION: self._cancellation,
        }

    def _futures(self, module: Any) -> None:
        future = module.Future
        Noticed("_exception", self._failed, self._got).put_on(future)
        future._invoke_callbacks = Before(future._invoke_callbacks, self._done)

    def _pool(self, module: Any) -> None:
        """``apply_async`` and ``map_async``: the error of a worker lies in the result until somebody gets it."""
        Noticed("_value", self._result_is_there, self._got_result).put_on(module.ApplyResult)

    def _result_is_there(self, result: Any, value: Any) -> None:
        names = vars(result)
        if names.get("_success") is False and names.get("_error_callback") is None:
            self._failed(result, value)

    def _got_result(self, result: Any, _value: Any) -> None:
        if vars(result).get("_success") is False:
            self._asked(result)

    def _got(self, future: Any, _error: Any) -> None:
        """To show a future is not to ask it."""
        if sys._getframe(3).f_code.co_name != "__repr__":
            self._asked(future)

    def _failed(self, holder: Any, error: Any) -> None:
        """An error was stored where somebody may ask for it; nobody can, before this has returned."""
        if isinstance(error, BaseException):
            mark = self._tell(error, "future", thread_name(Real.get_ident()))
            number, marks = id(holder), self._marks
            if mark:
                marks[number] = (_weakref.ref(holder, lambda _: marks.pop(number, None)), mark)

    def _asked(self, holder: Any) -> None:
        _, mark = self._marks.pop(id(holder), (None, None))
        if mark is not None:
            self._journal.note(kinds.SEEN, mark=mark)

    def _event_loop(self, module: Any) -> None:
        real = module.BaseEventLoop.call_exception_handler

        def note(loop: Any, context: Any) -> None:
            error = context.get("exception")
            told = NEVER_RETRIEVED in str(context.get("message", ""))
            if told and isinstance(error, BaseException) and loop._exception_handler is None:
                self._tell(error, "future", thread_name(Real.get_ident()))

        @like(real)
        def call_exception_handler(loop: Any, context: Any) -> Any:
            quietly(note, loop, context)
            return real(loop, context)

        module.BaseEventLoop.call_exception_handler = call_exception_handler

    def _session(self, module: Any) -> None:
        def closing(session: Any, closed: Any) -> None:
            if closed:
                self._note_act(kinds.CLOSED, "session", id(session))

        Noticed(SESSION_IS_CLOSED, closing).put_on(module.BaseSession)

    def _done(self, future: Any) -> None:
        if future._state == "CANCELLED":
            self._note_act(kinds.CANCELLED, "future", id(future))

    def _cancellation(self, module: Any) -> None:
        def used(manager: Any, _: Any) -> None:
            if sys._getframe(3).f_code.co_name == "start_cancel":
                self._note_act(kinds.CANCELLED, "TensorFlow's cancellation manager", id(manager))

        Noticed(CANCELLATION_IS_USED, got=used).put_on(module.CancellationManager)

    def _note_act(self, kind: kinds.Kind, what: str, number: int) -> None:
        method = programs_frame()
        frames = frames_of(method.f_back if method is not None else None)
        thread = thread_name(Real.get_ident())
        self._journal.note(kind, what=what, object=number, thread=thread, frames=frames)
