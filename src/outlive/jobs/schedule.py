"""Which inputs are handed out next, and who is to blame when a worker dies. Pure: no process, no clock.

An input is condemned when a worker died of it that had nothing else to do, and it was not the first time that one died while busy with it. Everything
else that was handed out is done again; nothing is lost, nothing is done twice. While there are suspects, they are handed out alone, one
group at a time.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from outlive.jobs.batch_sizes import Sizes
from outlive.model.quick_dataclass import dataclass

#: Handed out beforehand, so that a worker never waits for us: names only, a worker itself bounds what it prepares.
HANDED_OUT = 64

#: Deaths with an input in hand before it is condemned.
DEATHS = 2

#: … and, where another process killed the worker, before that is no longer taken for a coincidence.
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


#: Given by a source that may have more later: nothing is there now, and it is not the end.
NOT_YET = object()


class Inputs:
    """The inputs of a job, each with its number; taken by as many schedules as there are workers."""

    def __init__(self, inputs: Iterable[Any]) -> None:
        self._source = enumerate(inputs)
        self._first: list[tuple[int, Any]] = []  #: looked at, and not yet taken
        self.drained = False  #: nothing is left to be taken

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do at all; asked before the first is taken."""
        first = self.take()
        if first is not None:
            self._first.append(first)
        return first is None

    def take(self) -> tuple[int, Any] | None:
        """Give the next one."""
        if self._first:
            return self._first.pop()
        found = next(self._source, None)
        if found is not None and found[1] is NOT_YET:
            return None
        self.drained = found is None
        return found


class Schedule:
    """The inputs that one worker is handed, on their way.

    With ``chunk`` a worker gets this many inputs at a time and does them one after the other: the one at which it hangs is known at once.
    """

    def __init__(self, inputs: Inputs, sizes: Sizes, chunk: int | None = None) -> None:
        self.sizes = sizes
        self._inputs = inputs
        self._chunk = chunk
        self._items: dict[int, Any] = {}  #: of everything that is known and not answered
        self._again: deque[int] = deque()
        self._suspects: deque[tuple[int, ...]] = deque()
        self._out: dict[int, None] = {}  #: handed out; in order
        self._careful = False
        self._deaths: dict[int, int] = {}  #: of workers that were busy with it
        self._struck: dict[int, int] = {}  #: the same, of those that somebody killed
        self.stopping = False  #: hand out nothing new

    @property
    def is_done(self) -> bool:
        """Nothing is left to do, or to wait for."""
        if self._out:
            return False
        if self.stopping:
            return True
        return self._inputs.drained and not self._again and not self._suspects

    @property
    def waits(self) -> bool:
        """Whether the worker owes an answer."""
        return bool(self._out)

    def item(self, index: int) -> Any | None:
        """Give the input of this number, if the worker has it in hand."""
        return self._items.get(index) if index in self._out else None

    def next(self) -> Order | None:
        """Choose the inputs to hand out now."""
        if self.stopping:
            return None
        if self._suspects:
            return None if self._out else self._hand_out(self._suspects.popleft(), careful=True)
        size = self._chunk or self.sizes.size
        most = size + 1 if self._chunk else max(HANDED_OUT, 4 * size)
        if self._out and (self._careful or len(self._out) >= most):
            return None
        chosen: list[int] = []
        while len(chosen) < size:
            index = self._again.popleft() if self._again else self._fresh()
            if index is None:
                break
            chosen.append(index)
        return self._hand_out(tuple(chosen), careful=False) if chosen else None

    def _fresh(self) -> int | None:
        found = self._inputs.take()
        if found is None:
            return None
        self._items[found[0]] = found[1]
        return found[0]

    def _hand_out(self, chosen: tuple[int, ...], careful: bool) -> Order:
        self._out.update(dict.fromkeys(chosen))
        self._careful = careful
        size = len(chosen) if careful else self.sizes.size
        return Order(tuple((index, self._items[index]) for index in chosen), size, careful)

    def answered(self, index: int) -> Any | None:
        """Note that an input is done or condemned, and return it; ``None`` if that was noted before."""
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
        if self._chunk is not None and fall is Fall.HANG and len(held) == 1:
            (hung,) = held
            self._again.extendleft(reversed([index for index in out if index != hung]))
            self._out = {hung: None}
            self._careful = False
            return hung
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
        """Halve the suspects; one that is left is tried alone."""
        if len(group) <= 1:
            self._suspects.extendleft([tuple(group)] if group else [])
            return
        middle = len(group) // 2
        self._suspects.extendleft([tuple(group[middle:]), tuple(group[:middle])])
