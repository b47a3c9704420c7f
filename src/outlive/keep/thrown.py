"""An exception as plain data, in the form in which the recorder writes them: the same coroner reads both."""

from __future__ import annotations

import traceback
from typing import Any


class Unfit(Exception):
    """An input that a task refuses by itself, with the slug of the cause that it would have died of."""

    def __init__(self, slug: str, says: str, *remedies: str) -> None:
        super().__init__(says)
        self.slug = slug
        self.remedies = remedies


MOST_FRAMES = 40
MOST_TEXT = 4000
MOST_CAUSES = 5


def describe(error: BaseException, depth: int = 0) -> dict[str, Any]:
    """Type, words, lineage, and the way it came, innermost frame first."""
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    whole = traceback.extract_tb(error.__traceback__)
    summary = whole[-MOST_FRAMES:]
    found: dict[str, Any] = {
        "type": module + kind.__qualname__,
        "message": _text(error)[:MOST_TEXT],
        "bases": [base.__name__ for base in kind.__mro__[1:-1]],
        "frames": [[frame.filename, frame.lineno or 0, frame.name] for frame in reversed(summary)],
    }
    if isinstance(error, RecursionError):
        found["depth"] = len(whole)
    if isinstance(error, OSError):
        found["errno"] = error.errno
        found["file"] = str(error.filename or "")
    if isinstance(error, ImportError):
        found["module"] = error.name or ""
    if isinstance(error, Unfit):
        found["slug"] = error.slug
        found["remedies"] = list(error.remedies)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < MOST_CAUSES:
        found["cause"] = describe(cause, depth + 1)
        found["explicit"] = error.__cause__ is not None
    return found


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a message that cannot be made says nothing
        return ""
