"""Has the program stopped making progress? Decides, asks the processes what their threads wait for, and writes it down.

The program is not touched: it is asked by a link in its record's folder, and answers out of the recorder's thread.
"""

from __future__ import annotations

import os
import time

from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds, links
from outlive.recorder.hang.linux_waits import partners, waits_of
from outlive.recorder.hang.progress import Stillness, read
from outlive.recorder.store import run_folders

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: The recorder inside looks for a question once a second.
SECONDS_FOR_AN_ANSWER = 2.5
MAX_PROCESSES = 32

#: Shorter than the time limits that people put around a test (`timeout 20`, pytest's 30), longer than most waits that end well.
QUIET_SECONDS = 8.0
SECONDS_BETWEEN_QUIET_LOOKS = 0.9


def ask(rings: str) -> str:
    """Have every Python of the run write down what its threads wait for; gives the question's name."""
    question = os.urandom(6).hex()
    run_folders.tell_inside(rings, links.LOOK, question)
    return question


def kernel_waits(host: Host, pids: Iterable[int]) -> dict[str, list[list[Any]]]:
    """What the threads of these processes wait for, as the kernel says."""
    family = sorted(pids)[:MAX_PROCESSES]
    return partners(host, {str(pid): waits_of(host, pid) for pid in family}, family)


class HangWatch:
    """Follows every sample, and says when the program stops making progress and when it continues."""

    def __init__(self, host: Host, rings: str | None, after: float) -> None:
        self._host = host
        self._rings = rings
        self._after = after
        self._stillness = Stillness()
        self._question = ""
        self._asked_at = 0.0
        self._told = False

    def still(self, at: float, pids: Iterable[int]) -> bool:
        """A second look, before anything is done about it: whether the program has not moved since."""
        self._stillness.saw(read(self._host, frozenset(pids), at))
        return self._stillness.seconds >= self._after

    def saw(self, at: float, pids: Iterable[int]) -> dict[str, Any] | None:
        """One look; gives a record when there is something to tell."""
        family = frozenset(pids)
        self._stillness.saw(read(self._host, family, at))
        if self._stillness.seconds < self._after:
            self._question = ""
            if self._told:
                self._told = False
                return {"kind": kinds.MOVING, "at": round(at, 3)}
            return None
        if self._told:
            return None
        if not self._question:
            self._question = ask(self._rings) if self._rings is not None else "none"
            self._asked_at = at
            return None
        if self._rings is not None and at - self._asked_at < SECONDS_FOR_AN_ANSWER:
            return None
        if self._rings is not None and stacks_move(self._rings, self._after):
            self._stillness.moved()
            self._question = ""
            return None
        tasks = kernel_waits(self._host, family)
        if any(task[1] == "R" for threads in tasks.values() for task in threads):
            return None  # it would run if the machine let it: look again at the next sample
        self._told = True
        return {
            "kind": kinds.HANG,
            "at": round(at, 3),
            "time": time.time(),
            "seconds": round(self._stillness.seconds, 1),
            "cpu_share": round(self._stillness.cpu_share, 4),
            "asked": self._question,
            "tasks": tasks,
        }


class QuietWatch:
    """Notes a standstill that nobody asked about, for the verdict on a program that a time limit ends in it.

    A program that stands and moves in turns is asked less and less often.
    """

    def __init__(self, host: Host, rings: str | None) -> None:
        self._host = host
        self._rings = rings
        self._after = QUIET_SECONDS
        self._watch = HangWatch(host, rings, self._after)
        self._next = 0.0

    def still(self, at: float, pids: Iterable[int]) -> bool:
        """Whether the program has not moved since."""
        return self._watch.still(at, pids)

    def saw(self, at: float, pids: Iterable[int]) -> dict[str, Any] | None:
        """One look, not more often than it can tell anything new; gives a record when there is something to note."""
        if at < self._next:
            return None
        self._next = at + SECONDS_BETWEEN_QUIET_LOOKS
        found = self._watch.saw(at, pids)
        if found is not None and found["kind"] == kinds.MOVING:
            self._after *= 2
            self._watch = HangWatch(self._host, self._rings, self._after)
        return found


def stacks_move(rings: str, seconds: float) -> bool:
    """Whether a thread reached, in the second half of this time, a place where it was not seen in the first.

    A program that waits in a loop is seen at the same few places; one that works slowly is not.
    """
    import glob

    from outlive.recorder.store.entries import entries

    now = time.time()
    for path in glob.glob(os.path.join(glob.escape(rings), "*.ring")):
        try:
            frames = entries(path)
        except OSError:
            continue
        records = sorted(
            (
                frame
                for frame in frames
                if frame.get("kind") == kinds.STACK and not frame.get("same")
            ),
            key=lambda frame: frame.get("time", 0.0),
        )
        middle = now - seconds / 2
        earlier = {_places(record) for record in records if record.get("time", 0.0) < middle}
        later = {_places(record) for record in records if record.get("time", 0.0) >= middle}
        if earlier and later - earlier:
            return True
    return False


def _places(record: dict[str, Any]) -> tuple[Any, ...]:
    """Where the threads were, without what differs from one turn of a loop to the next: the innermost place of each."""
    return tuple(
        sorted(
            tuple(frame)
            for thread in record.get("threads", ())
            for frame in (thread.get("frames") or [])[:1]
        )
    )
