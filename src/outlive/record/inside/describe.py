"""Exceptions and frames as plain data, bounded, with secrets masked. Nothing here may raise or keep a frame alive."""

from __future__ import annotations

import os
import re
import sys
from _collections import deque  # type: ignore[import-not-found]  # collections, without its weight

from .. import masking

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

REMOTE_FRAME = r'^\s*File "(.+?)", line (\d+), in (\S+)'


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


def describe(error: BaseException, depth: int = 0) -> Dict[str, Any]:
    """An exception with all that a person would want to know of it."""
    kind = type(error)
    told: Dict[str, Any] = {
        "type": _qualified(kind),
        "bases": [_qualified(base) for base in kind.__mro__[1:-1]][:8],
        "message": text_of(error),
        "frames": frames_of_traceback(error.__traceback__),
    }
    if isinstance(error, RecursionError):
        told["depth"] = depth_of(error.__traceback__)
    notes = getattr(error, "__notes__", None)
    if isinstance(notes, list):
        told["notes"] = [masked(str(note)[:1000]) for note in notes[:5]]
    if isinstance(error, SyntaxError) and error.filename:
        told["frames"].insert(0, (str(error.filename), int(error.lineno or 0), ""))
    told.update(details_of(error))
    if type(error).__name__ in ("RemoteTraceback", "_RemoteTraceback"):
        told["frames"] = _frames_in_text(str(error))
    members = getattr(error, "exceptions", None)  # of an ExceptionGroup: the first says most
    if isinstance(members, tuple) and members and isinstance(members[0], BaseException):
        told["members"] = [
            f"{_qualified(type(member))}: {text_of(member)[:200]}" for member in members[:MAX_CHAIN]
        ]
        told["cause"] = describe(members[0], depth + 1) if depth < MAX_CHAIN else None
        told["explicit"] = True
        return told
    following = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if following is not None and depth < MAX_CHAIN:
        told["cause"] = describe(following, depth + 1)
        told["explicit"] = error.__cause__ is not None
    return told


def details_of(error: BaseException) -> Dict[str, Any]:
    """What an error of the system or of an import knows beside its text: its number, its file, its module."""
    found: Dict[str, Any] = {}
    try:
        if isinstance(error, OSError):
            number, file = error.errno, error.filename
            if isinstance(error.filename2, str):  # of a copy: where to
                found["target"] = masked(os.path.abspath(error.filename2)[:1000])
            if isinstance(number, int):
                found["errno"] = int(number)
        elif isinstance(error, ImportError):
            file = error.path
            if isinstance(error.name, str):
                found["module"] = masked(error.name[:300])
        else:
            return found
        if isinstance(file, bytes):
            file = os.fsdecode(file)
        if isinstance(file, str):
            found["file"] = masked(os.path.abspath(file)[:1000])
    except Exception:  # a class of the program's own may have put anything in their place
        pass
    return found


def depth_of(traceback: Optional[TracebackType]) -> int:
    """How many frames an exception passed through."""
    count = 0
    while traceback is not None:
        count, traceback = count + 1, traceback.tb_next
    return count


def text_of(error: BaseException) -> str:
    """``str(error)`` runs the program's code, so it may do anything."""
    try:
        text = str(error)
    except Exception as failure:
        text = f"<message could not be made: {type(failure).__name__}>"
    if len(text) > MAX_MESSAGE_CHARACTERS:
        half = MAX_MESSAGE_CHARACTERS // 2
        text = f"{text[:half]} … {text[-half:]}"
    return masked(text)


def masked(text: str) -> str:
    """Without secrets: those with a telling shape, and those in this program's environment and arguments."""
    if not text:
        return text
    arguments = [str(word) for word in getattr(sys, "orig_argv", None) or sys.argv]
    secrets = masking.secrets_of(os.environ) + masking.split_arguments(arguments)[1]
    return str(masking.mask_text(text, secrets))


def _qualified(kind: type) -> str:
    module = getattr(kind, "__module__", "")
    return (
        kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}"
    )


def _frames_in_text(text: str) -> List[FrameData]:
    """A traceback that came from another process as text."""
    frames = re.findall(REMOTE_FRAME, text, re.MULTILINE)
    found = [(file, int(line), function) for file, line, function in frames]
    found.reverse()
    return bounded(found)
