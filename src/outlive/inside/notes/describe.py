"""Exceptions and frames as plain data, bounded, with secrets masked: for the record, for the workers of a job, for a line on stderr. Nothing here may raise or keep a frame alive."""

from __future__ import annotations

import builtins
import os
import re
import sys
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight

from . import masking
from .words import ATTRIBUTES, WORDS, notes_of

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any, Dict, List, Optional, Tuple

    FrameData = Tuple[str, int, str]

MAX_MESSAGE_CHARACTERS = 6000
MAX_CHAIN = 6

#: Of a deep stack the ends say most: where it is, and how it began.
INNERMOST_FRAMES = 40
OUTERMOST_FRAMES = 12
#: Each step outwards makes an object of half a kilobyte, which the running function keeps: of a recursion a million calls deep the
#: beginning is not worth that.
DEEPEST = 5000

OWN_MODULES = __name__.rpartition(".")[0].rpartition(".")[0] + "."

REMOTE_FRAME = r'^[ \t]*File "(.+?)", line (\d+), in (\S+)'


def programs_frame() -> Optional[FrameType]:
    """The innermost frame that is not of ours."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(OWN_MODULES):
        frame = frame.f_back
    return frame


def frames_of(frame: Optional[FrameType]) -> List[FrameData]:
    """A stack, innermost first; of one that is very deep the innermost part."""
    found: List[FrameData] = []
    while frame is not None and len(found) < DEEPEST:
        code = frame.f_code
        found.append((code.co_filename, frame.f_lineno or 0, code.co_name))
        frame = frame.f_back
    return bounded(found)


def frames_of_traceback(traceback: Optional[TracebackType]) -> List[FrameData]:
    """The way of an exception, innermost first; of a long one both ends."""
    outermost: List[TracebackType] = []
    innermost: Any = deque(maxlen=INNERMOST_FRAMES)
    while traceback is not None:
        (outermost if len(outermost) < OUTERMOST_FRAMES else innermost).append(traceback)
        traceback = traceback.tb_next
    steps = [*outermost, *innermost]
    found = [(step.tb_frame.f_code, step.tb_lineno or 0) for step in reversed(steps)]
    return [(code.co_filename, line, code.co_name) for code, line in found]


def bounded(frames: List[FrameData]) -> List[FrameData]:
    """The two ends of a stack that is too deep to keep."""
    if len(frames) <= INNERMOST_FRAMES + OUTERMOST_FRAMES:
        return frames
    return frames[:INNERMOST_FRAMES] + frames[-OUTERMOST_FRAMES:]


def describe(
    error: BaseException, depth: int = 0, words: Optional[Dict[int, str]] = None
) -> Dict[str, Any]:
    """An exception with all that a person would want to know of it; ``words``: those that Python has asked for already, by ids."""
    kind = type(error)
    told: Dict[str, Any] = {
        "type": _qualified(kind),
        "bases": [_qualified(base) for base in type.__getattribute__(kind, "__mro__")[1:-1]][:8],
        "message": text_of(error, words),
        "frames": frames_of_traceback(error.__traceback__),
    }
    if isinstance(error, RecursionError):
        told["depth"] = depth_of(error.__traceback__)
    notes = notes_of(error)
    if notes:
        told["notes"] = [masked(note, 1000) for note in notes[:5] if type(note) is str]
    if isinstance(error, SyntaxError) and error.filename:
        told["frames"].insert(0, (str(error.filename), int(error.lineno or 0), ""))
    told.update(details_of(error))
    if type.__getattribute__(kind, "__name__") in ("RemoteTraceback", "_RemoteTraceback"):
        told["frames"] = _frames_in_text(str(error))
    members = members_of(error)  # the first says most
    if isinstance(members, tuple) and members and isinstance(members[0], BaseException):
        told["members"] = [
            f"{_qualified(type(member))}: {text_of(member)[:200]}" for member in members[:MAX_CHAIN]
        ]
        told["cause"] = describe(members[0], depth + 1, words) if depth < MAX_CHAIN else None
        told["explicit"] = True
        return told
    following = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if following is not None and depth < MAX_CHAIN:
        told["cause"] = describe(following, depth + 1, words)
        told["explicit"] = error.__cause__ is not None
    return told


def members_of(error: BaseException) -> Any:
    """Those of an ExceptionGroup, or of the package exceptiongroup's; the program's own ``__getattr__`` is not asked."""
    group = getattr(builtins, "BaseExceptionGroup", None)
    if group is not None and group in type.__getattribute__(type(error), "__mro__"):
        return group.exceptions.__get__(error)
    held = ATTRIBUTES.__get__(error)
    return held.get("exceptions", held.get("_exceptions"))


def details_of(error: BaseException) -> Dict[str, Any]:
    """Read what an OSError or ImportError knows beside its text: its number, its file, its module."""
    found: Dict[str, Any] = {}
    try:
        if isinstance(error, OSError):
            number, file = _held(OSError, error, "errno"), _held(OSError, error, "filename")
            target = _held(OSError, error, "filename2")
            if isinstance(target, str):  # of a copy: where to
                found["target"] = masked(os.path.abspath(target), 1000)
            if isinstance(number, int):
                found["errno"] = int(number)
        elif isinstance(error, ImportError):
            file, name = _held(ImportError, error, "path"), _held(ImportError, error, "name")
            if isinstance(name, str):
                found["module"] = masked(name, 300)
        else:
            return found
        if isinstance(file, bytes):
            file = os.fsdecode(file)
        if isinstance(file, str):
            found["file"] = masked(os.path.abspath(file), 1000)
    except Exception:  # a class of the program's own may have put anything in their place
        pass
    return found


def _held(kind: type, error: BaseException, name: str) -> Any:
    """What Python itself keeps there; a class of the program's own may have a property of that name."""
    return kind.__dict__[name].__get__(error)


def depth_of(traceback: Optional[TracebackType]) -> int:
    """How many frames an exception passed through."""
    count = 0
    while traceback is not None:
        count, traceback = count + 1, traceback.tb_next
    return count


def text_of(error: BaseException, words: Optional[Dict[int, str]] = None) -> str:
    """What it says; a library's words may do anything."""
    try:
        known = words.get(id(error)) if words else None
        text = WORDS.of(error) if known is None else known
    except Exception as failure:
        text = f"<message could not be made: {type(failure).__name__}>"
    return masked(text, MAX_MESSAGE_CHARACTERS)


def in_short(error: BaseException, most: int = 300) -> str:
    """Describe an exception in one line: its class and the first line of its message, masked."""
    try:
        said = str(error)
    except Exception as failure:  # a class of the program's own
        said = f"<message could not be made: {type(failure).__name__}>"
    return masked(f"{type(error).__name__}: {said}".partition("\n")[0], most)


def masked(text: str, most: int = 0) -> str:
    """Without secrets: those with a telling shape, and those in this program's environment and arguments. Only then cut."""
    if not text:
        return text
    known = masking.secrets_here()
    return masking.mask_and_cut(text, most, known) if most else masking.mask_text(text, known)


def _qualified(kind: type) -> str:
    module = type.__getattribute__(kind, "__module__")
    name = type.__getattribute__(kind, "__qualname__")
    return str(name) if module in ("builtins", "__main__") else f"{module}.{name}"


def _frames_in_text(text: str) -> List[FrameData]:
    """A traceback that came from another process as text."""
    frames = re.findall(REMOTE_FRAME, text, re.MULTILINE)
    found = [(file, int(line), function) for file, line, function in frames]
    found.reverse()
    return bounded(found)
