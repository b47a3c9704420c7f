"""Call a function from the main thread, as soon as that is back in Python code."""

from __future__ import annotations

import ctypes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable


class Later:
    """A function that can be asked for at any time and is then called once."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._wanted = False
        kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        self._called = kind(self._call)  # held for as long as the interpreter may call it

    def ask(self) -> None:
        """Have it called."""
        if not self._wanted:
            self._wanted = True
            if ctypes.pythonapi.Py_AddPendingCall(self._called, None) != 0:
                self._call(None)  # there is no room in the interpreter's list

    def forget(self) -> None:
        """Do not call it after all."""
        self._wanted = False

    def _call(self, _: Any) -> int:
        if self._wanted:
            self._wanted = False
            try:
                self._act()
            except Exception:
                pass
        return 0
