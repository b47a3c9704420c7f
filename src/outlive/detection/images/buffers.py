"""Memory for decoded pictures that is used again and again.

A picture of 12 megapixels takes 36 MB, which the C library asks the kernel for each time anew: to touch those pages took 10 of the 45 ms of
CPU that decoding it takes. TensorFlow's own allocator keeps such memory; so does this, as long as it is little beside the budget.
"""

from __future__ import annotations

import importlib
import math
import weakref
from collections import deque
from typing import Any

from outlive.detection.images.pixels import ALIGNMENT, begun_aligned

#: Smaller ones come from the heap, which does the same.
SMALLEST = 1 << 20

#: A buffer serves pictures that need at least this share of it.
WELL_FILLED = 0.8


class Buffers:
    """A pool of buffers, bounded in bytes. An array that was taken from it returns to the pool when its last reference goes, in any thread."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._free: deque[Any] = deque()

    def aligned(self, shape: tuple[int, ...]) -> Any:
        """An array of bytes, of any contents, that TensorFlow takes as it is, without a copy."""
        numpy: Any = importlib.import_module("numpy")
        length = math.prod(shape)
        owner = self._taken(length + ALIGNMENT)
        if owner is None:
            owner = numpy.empty(length + ALIGNMENT, "uint8")
        # Of a memoryview: an array made of it is what all its views keep alive, not the owner.
        lent = numpy.frombuffer(memoryview(owner), "uint8")
        if SMALLEST <= length <= self._most_bytes:
            weakref.finalize(lent, self._given_back, owner).atexit = False
        return begun_aligned(lent)[:length].reshape(shape)

    def _taken(self, length: int) -> Any:
        """The next one, if it fits; one that does not is let go of: pictures of another size have come."""
        try:
            owner = self._free.popleft()
        except IndexError:
            return None
        return owner if WELL_FILLED * owner.size <= length <= owner.size else None

    def _given_back(self, owner: Any) -> None:
        # No lock: this may be called in the middle of anything. At worst one too many is kept.
        if sum(one.size for one in tuple(self._free)) + owner.size <= self._most_bytes:
            self._free.append(owner)
