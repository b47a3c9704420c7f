"""Errors that a thread of the program catches and only logs: at a level that nobody sees, they are gone.

Seen is the private attribute that ``Logger.isEnabledFor`` reads before anything is logged, also where it is not.
"""

from __future__ import annotations

import sys

from ..notes import kinds
from ..notes.describe import describe
from ..start.methods import quietly
from ..start.real import Real
from .stack_sampler import thread_name

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Set

    from ..notes.journal import Journal

#: A thread that logs one error after another copes with them.
MOST_LOGGED = 8


class LevelsAsked:
    """Stands in for the levels that a logger remembers, and notices who asks while an error is being handled.

    A call of ``debug`` that logs nothing takes 0.2 instead of 0.1 microseconds.
    """

    def __init__(
        self, asked: Callable[[], None], handled: Callable[[], Any] = sys.exc_info
    ) -> None:
        self._asked = asked
        self._handled = handled

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if self._handled()[1] is not None:
            quietly(self._asked)
        try:
            return owner.__dict__["_cache"]
        except (KeyError, AttributeError):
            raise _missing(owner) from None

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__["_cache"] = value

    def __delete__(self, owner: Any) -> None:
        try:
            del owner.__dict__["_cache"]
        except KeyError:
            raise _missing(owner) from None


def _missing(owner: Any) -> AttributeError:
    """Say it as Python says it of an object, or of the class itself."""
    whose = "type object 'Logger'" if owner is None else f"{type(owner).__name__!r} object"
    return AttributeError(f"{whose} has no attribute '_cache'")


class Logged:
    """The errors that were being handled in other threads than the main one when something was logged."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._told: Set[int] = set()

    def after_import(self, module: Any) -> None:
        """Notice every question whether something is to be logged, where it is asked as it always was."""
        if "_cache" not in vars(module.Logger):
            setattr(module.Logger, "_cache", LevelsAsked(self._asked))

    def _asked(self) -> None:
        error = sys.exc_info()[1]
        if error is None or len(self._told) >= MOST_LOGGED or not isinstance(error, Exception):
            return
        threading: Any = sys.modules.get("threading")
        ident = Real.get_ident()
        if threading is None or ident == threading.main_thread().ident or id(error) in self._told:
            return
        passed = error.__traceback__
        if passed is None or passed.tb_frame.f_globals.get("__name__") == "logging":
            return  # a level that it asks for the first time
        self._told.add(id(error))
        self._journal.note(kinds.LOGGED, thread=thread_name(ident), error=describe(error))
