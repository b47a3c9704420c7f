"""Where the threads of this interpreter are: the only module that may ask Python for their frames.

``sys._current_frames`` visits the threads of every interpreter in the process. From 3.12 on a second interpreter has a lock and an
allocator of its own, and a frame that we have touched there is freed by the wrong one: heap corruption, 6 of 6 programs. So the shim
is asked, which visits our own interpreter alone. Without it, once a program can make interpreters nothing is asked any more; that they
cannot be made between our question and Python's answer, nobody can promise.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Dict

OWN_ALLOCATORS = sys.version_info >= (3, 12)

#: What makes interpreters, by the names that it has had. ``sitecustomize`` takes out of ``sys.modules`` what it imported itself.
MAKERS = ("_interpreters", "_xxsubinterpreters")

#: What ``sitecustomize`` imported, if it did.
_known: Any = getattr(sys.modules.get("_outlive"), "interpreters", None)


def other_interpreters() -> bool:
    """Tell whether this process may have a second interpreter whose frames must not be touched."""
    if not OWN_ALLOCATORS:
        return False
    if any(name in sys.modules for name in MAKERS):
        return True
    return _known is not None and len(_known.list_all()) > 1


class Shimmed:
    """The shim's function, where it is loaded."""

    frames: Any = None


def current_frames() -> Dict[int, FrameType]:
    """Give the innermost frame of each thread, by the thread's number; of none where asking is dangerous.

    The shim's function only where it is needed: beside it 3 of 14 programs kept a list alive that they had let go of (not understood; with
    Python's own 14 of 14 let go).
    """
    if Shimmed.frames is not None and other_interpreters():
        found: Dict[int, FrameType] = Shimmed.frames()
        return found
    return {} if other_interpreters() else sys._current_frames()
