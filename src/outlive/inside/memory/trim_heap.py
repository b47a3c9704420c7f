"""Hand free pages of the C library's heap back to the kernel when memory has grown. Loaded only where it was asked for."""

from __future__ import annotations

import ctypes

from ..notes import links
from .meter import METER

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any

#: Of the limit: from there on, and whenever memory has grown by so much more.
FROM = 0.4
GROWN = 0.03


class Trimmer:
    """Hands free pages back when memory is beyond a mark, and again whenever it has grown by a step since."""

    def __init__(self) -> None:
        self._trim: Any = ctypes.CDLL(None).malloc_trim
        self._next = 0

    def consider(self, resident: int, mark: int, step: int) -> None:
        """A walk through the heap, some milliseconds; other threads wait for it only when they allocate."""
        if resident >= max(self._next, mark):
            self._trim(0)
            self._next = resident + step
        elif resident < self._next - 2 * step:
            self._next = 0


class Trimming:
    """Called at every tick of the sampler, in its thread."""

    def __init__(self, folder: str) -> None:
        self._limit_path = links.link_in(folder, links.LIMIT)
        self._trimmer = Trimmer()

    def consider(self, rss: int) -> None:
        """Against the limit that the supervisor tells."""
        limit = METER.limit(self._limit_path)[0]
        if not limit:
            return
        self._trimmer.consider(rss, int(FROM * limit), int(GROWN * limit))
