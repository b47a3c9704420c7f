"""A memory budget that several threads share: each takes what its picture needs, and waits until that much is free."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from outlive.detection.images.buffers import Buffers

#: Of all the bytes, and where no bound is known: what may be kept ready for the next picture.
BUFFERS_SHARE = 0.25
BUFFERS_BYTES = 200_000_000


class Room:
    """So many bytes; ``None``: no bound is known."""

    def __init__(self, most_bytes: int | None = None) -> None:
        self.most_bytes = most_bytes
        self.buffers = Buffers(
            BUFFERS_BYTES
            if most_bytes is None
            else min(BUFFERS_BYTES, int(BUFFERS_SHARE * most_bytes))
        )
        self._free = most_bytes or 0
        self._changed = threading.Condition()

    def has(self, wanted: int) -> bool:
        """Tell whether this many bytes fit into the budget at all."""
        return self.most_bytes is None or wanted <= self.most_bytes

    @contextmanager
    def taking(self, wanted: int) -> Iterator[None]:
        """Take bytes of the budget for the duration of the block."""
        if self.most_bytes is None:
            yield
            return
        share = min(wanted, self.most_bytes)
        with self._changed:
            self._changed.wait_for(lambda: share <= self._free)
            self._free -= share
        try:
            yield
        finally:
            with self._changed:
                self._free += share
                self._changed.notify_all()
