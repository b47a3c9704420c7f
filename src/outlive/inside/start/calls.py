"""Functions of Python's own that are written in C (``os.kill``, ``sys.exit`` …): seen when they are called, and left as they are.

With the C library the entry of Python's method table is changed: every object stays the one it was, no frame is added, a tracer sees
nothing. Without it the function is replaced by a ``StandIn``, which a program that looks closely can tell from the real one.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the enumerations, which take long to load
import ctypes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Tuple

    #: Gets the arguments by position and by name (or None), and after the call also its result.
    Hook = Callable[..., Any]


class Calls:
    """Whose calls are seen."""

    def __init__(self, library: str, originals: Optional[Dict[Any, Any]] = None) -> None:
        self._watch, self._end = functions_of(library)
        #: By module and name, of a process in which we are loaded late: the program may have put another in its place.
        self._originals = originals or {}

    def end(self) -> None:
        """The interpreter is about to go, and our functions with it; its method tables may outlive it."""
        if self._end is not None:
            self._end()

    def watch(
        self,
        home: Any,
        name: str,
        before: Optional[Hook] = None,
        after: Optional[Hook] = None,
        names: Optional[Dict[str, Any]] = None,
    ) -> bool:
        """Have ``before`` called with the arguments of each call, and ``after`` with its result too, unless it raised.

        A hook answers None, or the result of the call in a tuple. With ``names`` only those calls are told whose second argument is the
        dictionary of a module of that name. False: not without the C library, which alone can do that.
        """
        real = self._originals.get((home.__name__, name)) or getattr(home, name)
        hooks = [careful(hook) if hook is not None else None for hook in (before, after)]
        if self._watch is not None and self._watch(real, object.__basicsize__, *hooks, names):
            return True
        if names is not None:
            return False
        setattr(home, name, StandIn(home, name, *hooks))
        return True


def functions_of(library: str) -> Tuple[Any, Any]:
    """What the C library has for this; None and None where it is missing."""
    try:
        loaded = ctypes.PyDLL(library)
        watch, end = loaded.outlive_calls_watch, loaded.outlive_calls_end
    except (OSError, AttributeError):
        return None, None
    given = ctypes.py_object
    watch.argtypes = (given, ctypes.c_size_t, given, given, given)
    return watch, end


class StandIn:
    """In the place of a function where the C library is missing. No function: as an attribute of a class it binds to nothing."""

    def __init__(self, home: Any, name: str, before: Optional[Hook], after: Optional[Hook]) -> None:
        self._before, self._after = before, after
        self.__wrapped__ = real = getattr(home, name)
        self.__name__ = self.__qualname__ = name
        self.__module__ = home.__name__  # where pickle finds it
        self.__doc__ = real.__doc__
        self.__text_signature__ = getattr(real, "__text_signature__", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Ask the hooks before and after the real function is called."""
        answer = self._before(args, kwargs) if self._before is not None else None
        if answer is None:
            result = self.__wrapped__(*args, **kwargs)
            answer = self._after(args, kwargs, result) if self._after is not None else None
            if answer is None:
                return result
        if isinstance(answer, BaseException):
            raise answer
        return answer[0]

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce__(self) -> str:
        return self.__name__


def careful(hook: Hook) -> Hook:
    """Answer with the program's exception, if one was raised while ours was at work; failures of our own are no business of the program's."""

    def asked(*args: Any) -> Any:
        try:
            return hook(*args)
        except BaseException as error:
            return programs_own(error)

    return asked


def programs_own(error: BaseException) -> Optional[BaseException]:
    """What a signal's handler has raised while code of ours was running, without our frames; None of a failure of our own."""
    codes = {code_of(_signal.getsignal(number)) for number in range(1, _signal.NSIG)} - {None}
    step = error.__traceback__
    while step is not None and step.tb_frame.f_code not in codes:
        step = step.tb_next
    if step is None and isinstance(error, Exception):
        return None
    return error.with_traceback(step)


def code_of(handler: Any) -> Any:
    """The code that a signal's handler begins with; None of what is not written in Python."""
    for name in ("func", "__func__", "__call__", "__func__"):  # of a partial, a method, an object
        if hasattr(handler, "__code__"):
            break
        handler = getattr(handler, name, handler)
    return getattr(handler, "__code__", None)
