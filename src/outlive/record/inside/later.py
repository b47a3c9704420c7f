"""Call a function from the main thread, as soon as a call that is still going on has returned.

For ``fork``: Python counts the threads after its hooks have run, and before the call returns.
"""

from __future__ import annotations

import ctypes
import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Callable, Optional


class Later:
    """The function, and the call to wait for: the frame that makes it stands still until it returns."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._wanted = False
        self._frame: Optional[FrameType] = None
        self._at = -1
        kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        self._called = kind(self._call)  # held for as long as the interpreter may call it

    def after_the_call_in(self, frame: FrameType) -> None:
        """A call begins; whatever was wanted before is forgotten."""
        self._wanted = False
        self._frame, self._at = frame, frame.f_lasti

    def ask(self) -> None:
        """Have the function called when that call has returned."""
        self._wanted = True
        self._ask_the_interpreter()

    def forget(self) -> None:
        """Do not call it after all."""
        self._wanted = False
        self._frame = None

    def _ask_the_interpreter(self) -> None:
        if ctypes.pythonapi.Py_AddPendingCall(self._called, None) != 0:
            self._do()  # there is no room in its list

    def _call(self, _: Any) -> int:
        try:
            if self._wanted:
                # In the frame itself the call has returned; in a frame above it, a hook of the call is still running.
                returned = sys._getframe(1) is self._frame
                if self._frame is not None and self._frame.f_lasti == self._at and not returned:
                    self._ask_the_interpreter()
                else:
                    self._do()
        except Exception:
            pass
        return 0

    def _do(self) -> None:
        self.forget()
        self._act()
