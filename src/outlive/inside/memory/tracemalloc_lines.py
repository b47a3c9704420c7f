"""`outlive run --deep`: from half of the limit on, every allocation of Python's is traced, to name the lines that made what is alive.

By ``_tracemalloc``, which is built into the interpreter. Before memory is in danger nothing is traced and nothing is paid; from then
on code that allocates much runs slower (measured prices: ``docs/what-is-inside.md``). NumPy's arrays are traced, TensorFlow's tensors and native
libraries are not.
"""

from __future__ import annotations

import sys

from ..start.clock import Clock

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Tuple

#: So deep a line of the user's is looked for below the libraries'.
FRAMES = 8
MOST_LINES = 6
#: To list what is traced takes about a microsecond and 150 bytes for each block: more are not listed.
MOST_BLOCKS = 200_000
SECONDS = 0.5
SMALLEST_BYTES = 1_000_000


class Tracing:
    """Begins at the first look; told at the later ones."""

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        self._is_own = is_own
        self._blocks = 0
        self._known: Dict[
            str, bool
        ] = {}  # which files are the user's: there are few, and many traces

    def lines(self) -> Dict[str, Any]:
        """What was allocated since the first look and is alive, by the user's innermost line."""
        import _tracemalloc  # tracemalloc, without what it needs to print

        if not _tracemalloc.is_tracing():
            _tracemalloc.start(FRAMES)
            self._blocks = sys.getallocatedblocks()
            return {}
        total = int(_tracemalloc.get_traced_memory()[0])
        if sys.getallocatedblocks() - self._blocks > MOST_BLOCKS:
            return {"total": total, "lines": []}
        alive: Dict[Tuple[str, int], List[int]] = {}
        until = Clock.thread_time() + SECONDS
        # What is large is told first, so that a list that is cut short says most of it.
        for trace in sorted(_tracemalloc._get_traces(), key=size_of, reverse=True):
            place = self._own(trace[2])
            if place is not None:
                entry = alive.setdefault(place, [0, 0])
                entry[0] += trace[1]
                entry[1] += 1
            if Clock.thread_time() > until:
                break
        largest = sorted(alive.items(), key=lambda pair: -pair[1][0])[:MOST_LINES]
        told = [[*place, *entry] for place, entry in largest if entry[0] >= SMALLEST_BYTES]
        return {"total": total, "lines": told}

    def _own(self, frames: Any) -> Any:
        """The user's innermost line of a trace."""
        for frame in frames:
            known = self._known.get(frame[0])
            if known is None:
                known = self._known[frame[0]] = self._is_own(frame[0])
            if known:
                return frame
        return None


def size_of(trace: Any) -> int:
    """The bytes of one block that is alive."""
    return int(trace[1])
