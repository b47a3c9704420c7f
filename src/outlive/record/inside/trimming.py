"""Hand free pages of the C library's heap back to the kernel when memory has grown. Loaded only where it was asked for."""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any

#: Of the limit: from there on, and whenever memory has grown by so much more.
FROM = 0.4
GROWN = 0.03


class Trimming:
    """Called at every tick of the sampler, in its thread."""

    def __init__(self, folder: str) -> None:
        self._limit_path = os.path.join(folder, "limit")
        self._trim: Any = ctypes.CDLL(None).malloc_trim
        self._next = 0

    def consider(self, rss: int) -> None:
        """A walk through the heap, some milliseconds; other threads wait for it only when they allocate."""
        try:
            limit = int(os.readlink(self._limit_path).split()[0])
        except (OSError, ValueError, IndexError):
            return
        if rss >= max(self._next, FROM * limit):
            self._trim(0)
            self._next = rss + int(GROWN * limit)
        elif rss < self._next - 2 * GROWN * limit:
            self._next = 0
