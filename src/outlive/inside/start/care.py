"""Two settings of Python's that are ours for a moment: when the collector starts, and how long a thread waits before it asks for its turn.

Each is set to a value that no program sets. So what the program says meanwhile can be told from what we said, and stays; and a program that
has read our value, and puts it back later as what was there before, is found out and given the right one. The shim does both in one piece
(``python.c``); without it what stands here is as careful as Python can be: between two of its steps another thread may run.
"""

from __future__ import annotations

import gc
import sys

from .clock import Clock

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Tuple

#: As in python.c.
OUR_THRESHOLD = 2_147_480_117
#: Several times as long as the longest look takes on a machine that has no time for it (1.2 s were seen at a load of 12 on two cores).
OUR_MICROSECONDS = 5_000_117
#: To get a turn back from a thread that computes.
SHORT_MICROSECONDS = 500
#: Whoever waits takes the turn meanwhile.
AWAY_SECONDS = 0.001
LONGEST_WAIT_SECONDS = 0.02

get_threshold, set_threshold = gc.get_threshold, gc.set_threshold
get_interval, set_interval = sys.getswitchinterval, sys.setswitchinterval


class Thresholds:
    """Held off: the collector starts in no thread by itself."""

    _real: Tuple[int, ...] = ()
    _held = 0

    @classmethod
    def hold(cls) -> None:
        """From now on; may be nested."""
        cls._held += 1
        now = get_threshold()
        if OUR_THRESHOLD not in now:
            cls._real = now
        set_threshold(OUR_THRESHOLD, OUR_THRESHOLD, OUR_THRESHOLD)

    @classmethod
    def release(cls) -> None:
        """Let it start again, as the program wants it."""
        cls._held -= 1
        now = get_threshold()
        if not cls._held and OUR_THRESHOLD in now:
            set_threshold(
                *[old if new == OUR_THRESHOLD else new for new, old in zip(now, cls._real)]
            )


class Interval:
    """A long one: whoever begins to wait for its turn waits until we are done."""

    _real = 0
    _held = 0

    @classmethod
    def hold(cls) -> int:
        """From now on; gives the microseconds that were there."""
        cls._held += 1
        now = microseconds()
        if not is_ours(now):
            cls._real = now
        set_microseconds(OUR_MICROSECONDS)
        return cls._real

    @classmethod
    def stand_still(cls) -> None:
        """Let in whoever already waits, before anything is held.

        A thread that waits asks for its turn after the interval that held when it began to wait, unless the turn has changed hands since.
        So it is given away once, and asked back soon: by the long interval a thread that computes kept it for 5 s and more. When it comes back,
        whoever waits begins anew, by the long interval. Who was quicker than that is let in before anything is held; he may keep it for those 5 s.
        """
        set_microseconds(min(cls._real, SHORT_MICROSECONDS))
        Clock.sleep(AWAY_SECONDS)
        set_microseconds(OUR_MICROSECONDS)
        began = Clock.perf_counter()
        while Clock.perf_counter() - began < min(cls._real * 1.5e-6, LONGEST_WAIT_SECONDS):
            pass

    @classmethod
    def release(cls) -> None:
        """Turns are taken again as the program wants it."""
        cls._held -= 1
        if not cls._held and is_ours(microseconds()):
            set_microseconds(cls._real)


def microseconds() -> int:
    """The interval, as Python keeps it."""
    return round(get_interval() * 1e6)


def set_microseconds(value: int) -> None:
    """Set the interval; Python cuts off what is less than a microsecond."""
    set_interval((value + 0.5) / 1e6)


def is_ours(value: int) -> bool:
    """Also when a program has read and set it, each time cut off."""
    return abs(value - OUR_MICROSECONDS) <= 2


class Care:
    """Who does it: Python, or the shim where it is loaded."""

    hold_collector: Callable[[], Any] = Thresholds.hold
    release_collector: Callable[[], Any] = Thresholds.release
    hold_turns: Callable[[], int] = Interval.hold
    stand_still: Callable[[], Any] = Interval.stand_still
    release_turns: Callable[[], Any] = Interval.release


def take_care_by(library: Any) -> None:
    """From now on by these functions, which are called with the GIL."""
    Care.hold_collector = library.outlive_collector_hold
    Care.release_collector = library.outlive_collector_release
    Care.hold_turns = library.outlive_turns_hold
    Care.stand_still = library.outlive_turns_stand_still
    Care.release_turns = library.outlive_turns_release
