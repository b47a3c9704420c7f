"""What an error that speaks of a limit was surrounded by: open files, threads, the files being written, the library being loaded.

Looked at once, while such an error is written down, and only then: any other error costs a search in its text. What looks
(``around``) is read at the start and run when it is wanted: when no descriptor is left nothing can be imported.
"""

from __future__ import annotations

import errno
import resource

from ..start.shelf import Shelf

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional, Set, Tuple

#: In the order in which they need each other.
MODULES = ("memory.sizes", "memory.value_stack", "memory.named_containers", "events.limits")

#: What an error is about, by its number or by its words: C++ hands on the words alone.
NUMBERS = {
    errno.EMFILE: "files",
    errno.ENFILE: "files",
    errno.ENOSPC: "room",
    getattr(errno, "EDQUOT", -1): "room",
}
WORDS = (
    ("Too many open files", "files"),
    ("No space left on device", "room"),
    ("Disk quota exceeded", "room"),
    ("disk is full", "room"),
    (" requested and ", "room"),  # numpy: "1000 requested and 12 written"
    ("can't start new thread", "threads"),
    ("Resource temporarily unavailable", "threads"),
    ("pthread_create", "threads"),
    (".so", "libraries"),
)

#: A program may meet its limit again and again in threads and go on; the error that ends it is always looked at.
MOST_LOOKS = 3


class Circumstances:
    """Looks around when an error is about a limit."""

    def __init__(self, is_own: Callable[[], Callable[[str], bool]]) -> None:
        self._is_own = is_own
        self._looks = 0
        self._shelf = Shelf(MODULES)

    def of(self, error: BaseException, told: Dict[str, Any], last: bool) -> Dict[str, Any]:
        """All that is worth knowing beside this error; nothing for nearly all of them."""
        found: Dict[str, Any] = {}
        topics = topics_of(told)
        if not topics or (self._looks >= MOST_LOOKS and not last):
            return found
        self._looks += 1
        look = self._shelf.load()
        if look is not None:
            found = look.around(error, topics, self._is_own(), limits())
        return found

    def forked(self) -> None:
        """In a child nothing was met yet."""
        self._looks = 0


def limits() -> Dict[str, Tuple[int, int]]:
    """The limits of this process now, soft and hard."""
    return {
        "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "tasks": resource.getrlimit(resource.RLIMIT_NPROC),
        "space": resource.getrlimit(resource.RLIMIT_AS),
    }


def topics_of(told: Optional[Dict[str, Any]]) -> Set[str]:
    """What an error and its causes are about."""
    found = set()
    while told:
        topic = NUMBERS.get(told.get("errno", 0))
        if topic:
            found.add(topic)
        found |= {topic for words, topic in WORDS if words in told["message"]}
        told = told.get("cause")
    return found
