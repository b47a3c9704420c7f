"""Who set a timer: when it strikes, nothing of Python's can run any more, so the line is written down when it is set."""

from __future__ import annotations

import sys

from .describe import frames_of
from .hooks import like

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable

    from .journal import Journal

#: ``signal.ITIMER_REAL`` and so on, as the kernel counts them.
ALARM = 0


class Timers:
    """Notes every timer that is set or cancelled, a few times a second at most."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def wrap(self, module: Any) -> None:
        """The module is ``signal``."""
        for name, of_alarm in (("alarm", True), ("setitimer", False)):
            if hasattr(module, name):
                wrapper = self._setting(getattr(module, name), of_alarm)
                wrapper.__module__ = "signal"  # where pickle finds it
                setattr(module, name, wrapper)

    def _setting(self, real: Callable[..., Any], of_alarm: bool) -> Callable[..., Any]:
        note = self._note

        @like(real)
        def setting(*args: Any, **kwargs: Any) -> Any:
            try:
                note(*((ALARM, args[0]) if of_alarm else args[:2]))
            except Exception:
                pass  # wrong arguments: the real function says so
            return real(*args, **kwargs)

        return setting

    def _note(self, which: Any, seconds: Any) -> None:
        if self._journal.is_due("timer"):
            frames = frames_of(sys._getframe(2))
            self._journal.note("timer", which=int(which), seconds=float(seconds), frames=frames)
