"""What ``os._exit`` cuts off: text that a file still holds back, and threads at work.

Looked at once, as the program leaves. Nothing is flushed, no lock is waited for, nothing of the user's is called: what is told here
stays lost, as it would have without us.
"""

from __future__ import annotations

import gc
import sys

from ..memory.census import locals_of, text_of
from ..memory.sizes import attributes_of
from ..notes.describe import frames_of, masked
from ..start.frames import current_frames
from ..start.real import Real

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Tuple

MAX_FRAMES = 12
MAX_NAMES = 200
MAX_INNER = 20
MAX_TOLD = 5

#: Where a thread stands that waits for others: it has no work of its own.
WAITING_IN = ("threading.py", "queue.py", "selectors.py", "socketserver.py", "signal.py")

LINE_ENDS = ("", "\n", "\r", "\r\n")


def unfinished(frame: Any, is_own: Callable[[str], bool]) -> Dict[str, Any]:
    """Files with bytes that were never handed to the system, and the threads that were at work."""
    found = {"lost": held_back(frame, is_own), "threads": at_work(is_own)}
    return {name: value for name, value in found.items() if value}


def held_back(frame: Any, is_own: Callable[[str], bool]) -> List[Tuple[str, int]]:
    """The files that the user's code names, and how many bytes each still holds."""
    alone = len(threads()) <= 1
    told: Dict[int, Tuple[str, int]] = {}
    for value in files_named(frame, is_own):
        count = pending(value, alone)
        name = "standard output" if value is sys.stdout else text(value)
        if count and id(value) not in told and len(told) < MAX_TOLD:
            told[id(value)] = (masked(name), count)
    return list(told.values())


def files_named(frame: Any, is_own: Callable[[str], bool]) -> Iterator[Any]:
    """Standard output; what the frames of the stack and the program's main module name; what these hold."""
    yield sys.stdout
    main = sys.modules.get("__main__")
    scopes = [dict(getattr(main, "__dict__", {}))]
    while frame is not None and len(scopes) < MAX_FRAMES:
        if is_own(frame.f_code.co_filename):
            scopes.append(locals_of(frame))
        frame = frame.f_back
    for names in scopes:
        for value in list(names.values())[:MAX_NAMES]:
            kind = type(value)
            if is_file(value):
                yield value
            elif kind in (list, tuple, dict):
                inner = list(value.values() if kind is dict else value[:MAX_INNER])
                yield from filter(is_file, inner[:MAX_INNER])
            elif is_own(file_of(kind)):
                yield from filter(is_file, list(attributes_of(value).values())[:MAX_INNER])


def file_of(kind: type) -> str:
    """Where a class is defined; of those that Python brings along, a name that is nobody's."""
    module = sys.modules.get(text_of(kind, "__module__"))
    return str(getattr(module, "__file__", None) or "<built-in>")


def is_file(value: Any) -> bool:
    """An open file of Python's own, not a class that somebody derived from one."""
    kind = type(value)
    name = text_of(kind, "__name__")
    return text_of(kind, "__module__") == "_io" and name in ("TextIOWrapper", "BufferedWriter")


def pending(file: Any, alone: bool) -> int:
    """How many bytes a file has taken and not yet handed to the system."""
    try:
        if text_of(type(file), "__name__") == "TextIOWrapper":
            if not is_file(file.buffer) or file.closed:
                return 0
            return in_text(file) + (in_buffer(file.buffer) if alone else 0)
        return in_buffer(file) if alone and is_file(file) and not file.closed else 0
    except Exception:
        return 0


def in_text(file: Any) -> int:
    """Count the bytes in a file's text layer: no method tells, but the garbage collector sees them."""
    count = 0
    for held in gc.get_referents(file):
        if held is file.encoding or held is file.errors:
            continue
        pieces = held if type(held) is list else [held]
        if all(type(piece) in (str, bytes) for piece in pieces) and held not in LINE_ENDS:
            count += sum(map(len, pieces))
    return count


def in_buffer(buffer: Any) -> int:
    """Count the bytes between the program's position in a file and the system's. This takes the file's lock, so only one thread may do it."""
    return int(buffer.tell() - buffer.raw.tell()) if buffer.raw.seekable() else 0


def at_work(is_own: Callable[[str], bool]) -> List[Any]:
    """Other threads that Python would have waited for, each with its stack; not those that wait themselves."""
    frames = current_frames()
    mine = Real.get_ident()
    found: List[Any] = []
    for thread in threads():
        frame = frames.get(thread.ident)
        stack = frames_of(frame)
        waits = not stack or stack[0][0].rpartition("/")[2] in WAITING_IN
        if thread.ident == mine or thread.daemon or waits or len(found) >= MAX_TOLD:
            continue
        if any(is_own(file) for file, _, _ in stack):
            found.append([masked(str(thread.name)), stack])
    return found


def threads() -> List[Any]:
    """The threads that Python knows."""
    return list(getattr(sys.modules.get("threading"), "_active", {}).values())


def text(file: Any) -> str:
    """The name that a file was opened by."""
    name = file.name
    return name if type(name) is str else f"descriptor {name}" if type(name) is int else "a file"
