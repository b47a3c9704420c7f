"""How much of its time the main thread waits for the next element of a tf.data pipeline, as its sampled stacks tell.

Read from the rings: a few times in a run, and only when the main thread is mostly off the CPU. Inside a compiled step (Keras' ``fit``) the wait is not
in any Python stack, and nothing is said of it.
"""

from __future__ import annotations

import glob
import os
import time
from collections import Counter

from outlive.inside.notes import kinds

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any

#: The function of TensorFlow in which a Python loop waits for an element: its file's name and its own.
WAITS = ("gen_dataset_ops.py", "iterator_get_next")

#: Of the time, the main thread on a CPU: a thread that computes waits for nobody.
BUSY = 0.5

#: Seconds until the first look; each next one is twice as far away.
FIRST_LOOK = 20.0
FARTHEST = 600.0

#: Looks at so many of the last seconds.
SECONDS = 20.0


class DataWaits:
    """Decides when to look, and counts."""

    def __init__(self, rings: str | None) -> None:
        self._rings = rings
        self._next = FIRST_LOOK
        self._distance = FIRST_LOOK
        self._before: dict[str, Any] | None = None  #: the reading at which a look began, and when

    def look(self, at: float, reading: dict[str, Any]) -> list[Any] | None:
        """Moments seen, of these waiting, times it fell asleep, and the user's line; None when it is not the time, or it computes."""
        if "ran" not in reading or "slept" not in reading or self._rings is None or at < self._next:
            return None
        if self._before is None:
            self._before = {**reading, "at": at}
            self._next = at + SECONDS
            return None
        before, self._before = self._before, None
        self._distance = min(FARTHEST, 2 * self._distance)
        self._next = at + self._distance
        if reading["ran"] - before["ran"] > BUSY * (at - before["at"]):
            return None
        found = waits_seen(self._rings)
        return found and [*found[:2], reading["slept"] - before["slept"], found[2]]


def waits_seen(rings: str) -> list[Any] | None:
    """Count the looks at the main thread in the last seconds, in the first ring that has any."""
    from outlive.recorder.store.entries import entries

    since = time.time() - SECONDS
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.ring"))):
        try:
            stacks = [it for it in entries(path) if it.get("kind") == kinds.STACK]
        except OSError:
            continue
        stacks.sort(key=lambda it: it.get("time") or 0.0)
        found = _count(stacks, since)
        if found[0]:
            return found
    return None


def _count(stacks: list[dict[str, Any]], since: float) -> list[Any]:
    """Looks, those that saw it wait, and the line. Whether it was one wait or many, they do not tell: it is always seen at the same place."""
    seen = waiting = 0
    lines: Counter[str] = Counter()
    waits, line = False, ""
    for stack in stacks:
        if not stack.get("same"):
            waits, line = _where(stack)
        if (stack.get("time") or 0.0) >= since:
            seen += 1
            waiting += waits
            lines[line] += waits
    return [seen, waiting, lines.most_common(1)[0][0] if waiting else ""]


def _where(stack: dict[str, Any]) -> tuple[bool, str]:
    """Whether the main thread waits for an element, and the first line above that is in no installed package."""
    threads = [thread for thread in stack.get("threads") or () if thread.get("main")]
    frames = (threads[0].get("frames") or []) if threads else []
    waits = any(
        frame[0].endswith(WAITS[0]) and frame[2].startswith(WAITS[1]) for frame in frames[:3]
    )
    own = [
        frame for frame in frames if "-packages/" not in frame[0] and "/lib/python" not in frame[0]
    ]
    return waits, f"{own[0][0]}:{own[0][1]}" if waits and own else ""
