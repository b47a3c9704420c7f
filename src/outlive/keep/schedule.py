"""Which inputs are handed out next, and who is to blame when a worker dies. Pure: no process, no clock.

An input is condemned when a worker died of it that had nothing else to do, and it was not the first time that one died while busy with it. Everything
else that was handed out is done again; nothing is lost, nothing is done twice. While there are suspects, they are handed out alone, one
group at a time.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outlive.keep.batch_sizes import Sizes

#: Handed out beforehand, so that a worker never waits for us: names only, a worker itself bounds what it prepares.
HANDED_OUT = 64

#: Deaths with an input in hand before it is condemned.
DEATHS = 2

#: … and when a worker was killed by somebody else: chance, until it is no chance any more.
DEATHS_FROM_OUTSIDE = 6


class Fall(enum.Enum):
    """How a worker died, as far as it matters for what to do next."""

    CRASH = "crash"
    MEMORY = "memory"
    HANG = "hang"
    OUTSIDE = "outside"  #: killed by somebody else, or together with its parent


@dataclass(frozen=True, slots=True)
class Order:
    """Inputs for the worker."""

    items: tuple[tuple[int, Any], ...]
    size: int
    careful: bool = False


class Schedule:
    """All inputs of a job, on their way."""

    def __init__(self, source: Iterator[tuple[int, Any]], sizes: Sizes) -> None:
        self.sizes = sizes
        self._source = source
        self._items: dict[int, Any] = {}  #: of everything that is known and not answered
        self._again: deque[int] = deque()
        self._suspects: deque[tuple[int, ...]] = deque()
        self._out: dict[int, None] = {}  #: handed out; in order
        self._careful = False
        self._deaths: dict[int, int] = {}  #: of workers that were busy with it
        self._struck: dict[int, int] = {}  #: the same, of those that somebody killed
        self._drained = False
        self.stopping = False  #: hand out nothing new

    @property
    def is_done(self) -> bool:
        """Nothing is left to do, or to wait for."""
        if self._out:
            return False
        if self.stopping:
            return True
        return self._drained and not self._again and not self._suspects

    @property
    def waits(self) -> bool:
        """Whether the worker owes an answer."""
        return bool(self._out)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do at all; asked before the first is handed out."""
        index = self._fresh()
        if index is not None:
            self._again.append(index)
        return index is None

    def next(self) -> Order | None:
        """What to hand out now."""
        if self.stopping:
            return None
        if self._suspects:
            return None if self._out else self._hand_out(self._suspects.popleft(), careful=True)
        if self._out and (self._careful or len(self._out) >= max(HANDED_OUT, 4 * self.sizes.size)):
            return None
        chosen: list[int] = []
        while len(chosen) < self.sizes.size:
            index = self._again.popleft() if self._again else self._fresh()
            if index is None:
                break
            chosen.append(index)
        return self._hand_out(tuple(chosen), careful=False) if chosen else None

    def _fresh(self) -> int | None:
        found = next(self._source, None)
        if found is None:
            self._drained = True
            return None
        self._items[found[0]] = found[1]
        return found[0]

    def _hand_out(self, chosen: tuple[int, ...], careful: bool) -> Order:
        self._out.update(dict.fromkeys(chosen))
        self._careful = careful
        size = len(chosen) if careful else self.sizes.size
        return Order(tuple((index, self._items[index]) for index in chosen), size, careful)

    def answered(self, index: int) -> Any | None:
        """It is done, or condemned; its input, once. ``None`` when it was answered before."""
        if index not in self._out:
            return None
        del self._out[index]
        self._deaths.pop(index, None)
        self._struck.pop(index, None)
        return self._items.pop(index)

    def dropped(self, indices: Sequence[int]) -> None:
        """The worker has not begun with these, and will not: the job is being stopped."""
        for index in indices:
            self._out.pop(index, None)

    def refused(self, indices: Sequence[int], memory: bool) -> int | None:
        """The model threw an exception over these. The one to blame when it is only one, and memory was not the reason."""
        mine = [index for index in indices if index in self._out]
        if memory and len(mine) > 1:
            self.sizes.failed(len(mine))
        if len(mine) == 1:
            (index,) = mine
            self._deaths[index] = self._deaths.get(index, 0) + 1
            if not memory or (self._careful and self._deaths[index] >= DEATHS):
                return index
        for index in mine:
            del self._out[index]
        self._suspect(mine)
        return None

    def fell(self, fall: Fall, busy: Sequence[tuple[str, Sequence[int]]]) -> int | None:
        """The worker died while busy with these, by stage. The input that is condemned for it, if one is; it stays handed out."""
        out = list(self._out)
        running = [
            index
            for stage, items in busy
            if stage == "running"
            for index in items
            if index in self._out
        ]
        preparing = [
            index
            for stage, items in busy
            if stage == "preparing"
            for index in items
            if index in self._out
        ]
        if not running and not preparing and fall is not Fall.OUTSIDE:
            running = out  # it died between two steps, of any of them
        held = dict.fromkeys((*running, *preparing))
        outside = fall is Fall.OUTSIDE
        count = self._struck if outside else self._deaths
        for index in held:
            count[index] = count.get(index, 0) + 1
        if fall is Fall.MEMORY and len(running) > 1:
            self.sizes.failed(len(running))
        least = DEATHS_FROM_OUTSIDE if outside else DEATHS
        if self._careful and len(out) == 1 and count.get(out[0], 0) >= least:
            return out[0]
        self._out.clear()
        self._careful = False
        if outside:
            worn = [index for index in held if count[index] >= DEATHS_FROM_OUTSIDE - 1]
            held = dict.fromkeys(worn)
            running, preparing = [], worn
        self._again.extendleft(reversed([index for index in out if index not in held]))
        self._suspect(running)
        for index in preparing:
            self._suspects.appendleft((index,))
        return None

    def _suspect(self, group: Sequence[int]) -> None:
        """Halves; whoever is left alone is tried alone."""
        if len(group) <= 1:
            self._suspects.extendleft([tuple(group)] if group else [])
            return
        middle = len(group) // 2
        self._suspects.extendleft([tuple(group[middle:]), tuple(group[:middle])])
