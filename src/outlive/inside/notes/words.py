"""The words of an exception: the program's own code is asked for them as often as Python asks, and not once more by us.

What Python has shown is read from there. Otherwise only words are asked for that no code of the user's own makes; of others the
plain values are told that the exception was made with.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional

#: What Python writes between an exception and the one that it led to.
LED_TO = (
    "\nDuring handling of the above exception, another exception occurred:\n",
    "\nThe above exception was the direct cause of the following exception:\n",
)

#: Values whose text runs nobody's code.
PLAIN = (str, bytes, int, float, complex, bool, type(None))
CONTAINERS = (tuple, list, dict, set, frozenset)

#: Of a container with more, Python's own text of it is not made a second time: it takes long.
MAX_ELEMENTS = 2000

MAX_CHAIN = 6


class Words:
    """Who is asked for words, and who is not."""

    def __init__(self) -> None:
        self.is_own: Callable[[str], bool] = lambda file: True

    def of(self, error: BaseException) -> str:
        """``str(error)``, or as much of it as can be known without running the program's code."""
        if not self._is_harmless(type(error), "__str__"):
            return " ".join(self._value(value) for value in error.args[:8])
        if all(self.is_plain(value) for value in error.args):
            return str(error)
        if len(error.args) == 1:
            return self._value(error.args[0])
        return f"({', '.join(self._value(value) for value in error.args[:8])})"

    def is_plain(self, value: Any, room: int = MAX_ELEMENTS) -> bool:
        """Whether its text is made without the user's own code, and soon."""
        kind = type(value)
        if kind in PLAIN:
            return True
        if kind in CONTAINERS:
            return len(value) <= room and all(
                self.is_plain(inner, room // (len(value) or 1))
                for inner in (*value, *(value.values() if kind is dict else ()))
            )
        return self._is_harmless(kind, "__repr__") and self._is_harmless(kind, "__str__")

    def _value(self, value: Any) -> str:
        return str(value) if self.is_plain(value) else f"<{type(value).__name__}>"

    def _is_harmless(self, kind: type, method: str) -> bool:
        """Written in C, or in Python by others than the user."""
        for base in type.__getattribute__(kind, "__mro__"):
            found = type.__getattribute__(base, "__dict__").get(method)
            if found is not None:
                code = getattr(found, "__code__", None)
                if code is None:
                    return type(found) in C_KINDS
                return not self.is_own(code.co_filename)
        return False


#: What methods that are written in C are kept as.
C_KINDS = (type(object.__str__), type(str.join))

WORDS = Words()

#: The attributes of an exception, as Python itself reads them.
ATTRIBUTES: Any = BaseException.__dict__["__dict__"]


def shown_words(error: BaseException, text: str) -> Dict[int, str]:
    """The words of an exception and of what led to it, by their ids, in a text that Python has written of them."""
    for separator in LED_TO[1:]:
        text = text.replace(separator, LED_TO[0])
    found: Dict[int, str] = {}
    parts = text.split(LED_TO[0])
    for link, part in zip(chain_of(error), reversed(parts)):
        words = words_in(link, part)
        if words is not None:
            found[id(link)] = words
    return found


def words_in(error: BaseException, text: str) -> Optional[str]:
    """Find the message behind the last mention of an exception's class; None if it is not mentioned."""
    kind = type(error)
    name = str(type.__getattribute__(kind, "__qualname__"))
    module = type.__getattribute__(kind, "__module__")
    for start in (f"\n{module}.{name}: ", f"\n{name}: "):
        _, found, words = ("\n" + text).rpartition(start)
        if found:
            return without_notes(error, words.rstrip("\n"))
    return None


def notes_of(error: BaseException) -> List[Any]:
    """Its notes, past whatever ``__getattr__`` its class has: that is the program's own code."""
    notes = ATTRIBUTES.__get__(error).get("__notes__")
    return notes if type(notes) is list else []


def without_notes(error: BaseException, words: str) -> str:
    """Python writes the notes of an exception right behind its words."""
    for note in reversed(notes_of(error)):
        if type(note) is str and words.endswith("\n" + note):
            words = words[: -len(note) - 1]
    return words


def words_of_summary(error: BaseException, made: Any) -> Dict[int, str]:
    """The same, of a ``traceback.TracebackException`` that was made of it."""
    found: Dict[int, str] = {}
    for link in chain_of(error):
        words = getattr(made, "_str", None)
        if isinstance(words, str):
            found[id(link)] = words
        made = getattr(made, "__cause__", None) or getattr(made, "__context__", None)
    return found


def chain_of(error: BaseException, most: int = MAX_CHAIN) -> List[BaseException]:
    """The exception and what it was raised from or during, as Python shows them."""
    found: List[BaseException] = []
    following: Any = error
    while following is not None and len(found) < most:
        found.append(following)
        following = following.__cause__ or (
            None if following.__suppress_context__ else following.__context__
        )
    return found


def uncaught() -> Any:
    """The exception that ended the main thread: Python keeps it."""
    return getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
