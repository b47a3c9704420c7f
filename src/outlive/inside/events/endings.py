"""Calls that end a program, a process or set a timer: the line that made them is written down before they are made."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the enumerations, which take long to load
import builtins
import os
import sys

from ..notes import kinds
from ..notes.describe import describe, frames_of, masked, programs_frame
from ..start.methods import like, quietly

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Set

    from ..notes.journal import Journal
    from ..start.calls import Calls
    from .limit_errors import Circumstances

#: ``signal.ITIMER_REAL`` and so on, as the kernel counts them.
ALARM = 0

MAX_CODE_CHARACTERS = 300

#: What a child is ended with that has done its work.
WELL = (0,)

#: Of a longer text no more is read; what is masked is cut afterwards, so that no part of a secret is left.
MAX_CHARACTERS_READ = 20_000


class Endings:
    """The hooks, and which children the program itself has signalled."""

    def __init__(
        self, journal: Journal, around: Circumstances, ends_well: Callable[[], None]
    ) -> None:
        self._journal = journal
        self._around = around
        self._ends_well = ends_well
        self.signalled: Set[int] = set()
        self.cut_off: Optional[Callable[[Any], Dict[str, Any]]] = None
        #: Whether this is a forked child that has nothing to tell yet: all that runs in it costs copies of pages.
        self.is_new: Callable[[], Any] = lambda: False
        self.handled: Callable[[BaseException, Dict[str, Any]], None] = lambda error, told: None

    def install(self, calls: Calls) -> None:
        """Everywhere; where a function is missing on this system it is not missed."""
        for home, name, hook in (
            (sys, "exit", self._quitting("sys.exit")),
            (os, "_exit", self._quitting("os._exit")),
            (os, "abort", self._quitting("os.abort")),
            (os, "kill", self._killing("kill")),
            (os, "killpg", self._killing("killpg")),
            (_signal, "alarm", self._set_alarm),
            (_signal, "setitimer", self._set_timer),
        ):
            if hasattr(home, name):
                calls.watch(home, name, before=hook)
        self._watch_what_people_type()

    def _watch_what_people_type(self) -> None:
        """``exit`` and ``quit``, which ``site`` gives them: written in Python, so this is a frame in their traceback."""
        quitter: Any = type(getattr(builtins, "exit", getattr(builtins, "quit", None)))
        if quitter.__name__ == "Quitter":
            real, leaving = quitter.__call__, self._quitting("sys.exit")

            @like(real)
            def call(typed: Any, code: Any = None) -> Any:
                quietly(leaving, (code,), None)
                return real(typed, code)

            quitter.__call__ = call

    def _quitting(self, call: str) -> Callable[..., None]:
        def quitting(args: Any, names: Any) -> None:
            if call == "os._exit" and args == WELL and self.is_new():
                return
            code = args[0] if args else (names or {}).get("status")
            if call == "os._exit" and not code:
                self._ends_well()
            self._note_quitting(call, said(code))

        return quitting

    def _note_quitting(self, call: str, code: Any) -> None:
        handled = sys.exc_info()[1]
        error, around = None, {}
        if handled is not None:
            error = describe(handled)
            around = self._around.of(handled, error, last=True)
        caller = programs_frame()
        lost = self._cut_off_at(caller) if call == "os._exit" else {}
        self._journal.note(
            kinds.QUIT,
            call=call,
            code=code,
            frames=frames_of(caller),
            error=error,
            around=around,
            **lost,
        )
        if handled is not None and error is not None and code not in (None, 0):
            self.handled(handled, error)

    def _cut_off_at(self, caller: Any) -> Dict[str, Any]:
        """Note what an end without cleanup loses; that the program ended so is known without it."""
        try:
            return self.cut_off(caller) if self.cut_off is not None else {}
        except Exception:
            return {}

    def _killing(self, call: str) -> Callable[..., None]:
        """A program that ends itself or its own worker is not the victim of a stranger."""

        def killing(args: Any, _names: Any) -> None:
            target, number = args
            if not isinstance(target, int) or not number:
                return  # it asks whether a process lives
            group = call == "killpg" and target == os.getpgrp()
            target = os.getpid() if group or not target else target
            frames = frames_of(programs_frame())
            self._journal.note(kinds.KILL, target=int(target), signal=int(number), frames=frames)
            self._remember(target)

        return killing

    def _remember(self, child: int) -> None:
        """A child that has ended already did not end of it."""
        try:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                self.signalled.add(child)
        except OSError:
            pass  # it is no child

    def _set_alarm(self, args: Any, _names: Any) -> None:
        self._set_timer((ALARM, *args), None)

    def _set_timer(self, args: Any, _names: Any) -> None:
        """When it strikes, nothing of Python's can run any more."""
        if self._journal.is_due(kinds.TIMER):
            self._journal.note(
                kinds.TIMER,
                which=int(args[0]),
                seconds=float(args[1]),
                frames=frames_of(programs_frame()),
            )


def said(code: Any) -> Any:
    """What a program leaves with; of an object that Python will ask for its words only what it is."""
    if code is None or isinstance(code, int):
        return code
    return (
        masked(code[:MAX_CHARACTERS_READ])[:MAX_CODE_CHARACTERS]
        if type(code) is str
        else f"<{type(code).__name__}>"
    )
