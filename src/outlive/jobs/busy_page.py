"""What a worker is doing this moment, in memory that outlives it: the coroner reads it after the death.

A message through a pipe before each step would wake the parent twice for every input. Each thread of the worker has a slot instead, in
a page that both share: a stage, and the numbers of the inputs that it is busy with.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence

SLOTS = 33  #: the main thread's, and one for each that prepares
MOST = 500  #: inputs in one slot: more are never given to a model at once
HEAD = struct.Struct("<II")  #: stage, count
SLOT_BYTES = HEAD.size + 4 * MOST
BYTES = SLOTS * SLOT_BYTES

#: What a slot may say; the position is what is written.
STAGES = ("nothing", "loading", "preparing", "running")


class Board:
    """The shared page; a worker writes it, its parent reads it."""

    def __init__(self, handle: int) -> None:
        self._page = mmap.mmap(handle, BYTES)

    def say(self, slot: int, stage: str, items: Sequence[int] = ()) -> None:
        """About to do this. The count is written last, so that a death in between names nobody."""
        at = slot * SLOT_BYTES
        HEAD.pack_into(self._page, at, STAGES.index(stage), 0)
        shown = items[:MOST]
        struct.pack_into(f"<{len(shown)}I", self._page, at + HEAD.size, *shown)
        HEAD.pack_into(self._page, at, STAGES.index(stage), len(shown))

    def clear(self, slot: int) -> None:
        """Note that a thread is done with its inputs."""
        HEAD.pack_into(self._page, slot * SLOT_BYTES, 0, 0)

    def read(self) -> list[tuple[str, tuple[int, ...]]]:
        """Read what every thread was doing, the main thread first."""
        found = []
        for slot in range(SLOTS):
            at = slot * SLOT_BYTES
            stage, count = HEAD.unpack_from(self._page, at)
            if 0 < stage < len(STAGES) and count <= MOST:
                items = struct.unpack_from(f"<{count}I", self._page, at + HEAD.size)
                found.append((STAGES[stage], items))
        return found

    def close(self) -> None:
        """Give the memory back."""
        self._page.close()
