"""Who is on the way through a stretch of a pipeline, who came through, and who did not.

Its numbers are given by the pipeline, which makes a mark for each element that came through. Which numbers have none is looked at with
every chunk of elements that enters, and at the end.
"""

from __future__ import annotations

import atexit
import collections
import itertools
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from outlive.inside.tfdata.tf_private import library
from outlive.keep.skip.quarantine import Quarantine
from outlive.keep.skip.wording import name_of, told

#: No two have marks in common.
NUMBERS = itertools.count()

#: Those whose pipelines are still there when the program ends.
BOOKS: weakref.WeakSet[Book] = weakref.WeakSet()

#: When the program ends, a pipeline's thread that is at it is waited for, but not for long.
SECONDS_AT_EXIT = 5.0

#: How many numbers can be on their way in one iterator, and how many iterators of one pipeline are told apart.
CAPACITY = 1 << 12
SLOTS = 128

#: An element without a mark may still be on its way: those behind it overtake it by no more than this, or it is asked again later.
OVERTAKEN = 256

#: So many elements are remembered by their names, for stretches further on.
REMEMBERED = 20_000


@dataclass
class Flight:
    """One iterator's way through the stretch."""

    number: int
    waiting: collections.OrderedDict[int, tuple[Any, Any]] = field(
        default_factory=collections.OrderedDict
    )  #: by number: the name of its origin, and its values where they are small
    furthest: int = -1


class Book:
    """Who is on the way. Its methods are called by the pipeline, in threads of TensorFlow's."""

    def __init__(
        self, quarantine: Quarantine, stage: dict[str, Any], capacity: int = CAPACITY
    ) -> None:
        tf = library()

        self.capacity = capacity
        self._quarantine = quarantine
        self.again: Callable[[Any], None] | None = (
            None  #: do to an element, by its name, what was done: raises what that raised
        )
        self._values: collections.OrderedDict[Any, Any] = collections.OrderedDict()
        self._stage = stage
        self._lock = threading.RLock()
        self._flights: collections.OrderedDict[int, Flight] = collections.OrderedDict()
        self._last = -1
        # No tf.Variable: those cannot be made where a function is being traced, and an interleave's is.
        with tf.init_scope(), tf.device("/cpu:0"):
            self.marks = tf.raw_ops.VarHandleOp(
                dtype=tf.int64,
                shape=[SLOTS * capacity],
                shared_name=f"outlive-marks-{next(NUMBERS)}",
            )
            none = tf.fill([SLOTS * capacity], tf.constant(-1, tf.int64))
            tf.raw_ops.AssignVariableOp(resource=self.marks, value=none)
        # At the end of the program the marks are asked once more, and go with it.
        weakref.finalize(self, forget, self.marks).atexit = False
        BOOKS.add(self)

    def begin(self) -> int:
        """Register an iterator that starts; its number."""
        with self._lock:
            self._glance_at_all()
            self._last += 1
            self._flights[self._last] = Flight(self._last)
            while len(self._flights) > SLOTS:
                self._flights.popitem(last=False)  # given up, or its marks are overwritten
            return self._last

    def enter(self, flight: int, first: int, origins: Any, *values: Any) -> bool:
        """A chunk enters; whether it may: when too much was skipped, nothing more is begun."""
        with self._lock:
            mine = self._flights.get(int(flight))
            if mine is not None:
                self._settle(mine, over=False)
            if self._quarantine.full:
                return False
            if mine is not None:
                for place, origin in enumerate(origins):
                    own = [value[place] for value in values]
                    mine.waiting[int(first) + place] = (origin, own)
                    if own:
                        self._values[origin] = own
                while len(self._values) > REMEMBERED:
                    self._values.popitem(last=False)
            return True

    def may_go_on(self) -> bool:
        """Not when too much was skipped."""
        return not self._quarantine.full

    def values_of(self, origin: Any) -> Any:
        """What the element of this name was."""
        return self._values[origin]

    def finish(self, flight: int) -> bool:
        """The iterator is at its end: what has no mark by now has failed. Never lets an element pass."""
        with self._lock:
            mine = self._flights.pop(int(flight), None)
            if mine is not None:
                self._settle(mine, over=True)
        self._quarantine.refuse_more()
        return False

    def _settle(self, mine: Flight, over: bool) -> None:
        if not mine.waiting or (not over and len(mine.waiting) < 2 * OVERTAKEN):
            return
        marks = _read(self.marks, mine.number % SLOTS * self.capacity, self.capacity)
        own = marks[marks >> 40 == mine.number]
        if own.size:
            mine.furthest = max(mine.furthest, int(own.max() & ((1 << 40) - 1)))
        for number in list(mine.waiting):
            settled = over or number <= mine.furthest - OVERTAKEN
            if not settled:
                break
            if marks[number % self.capacity] == (mine.number << 40 | number):
                del mine.waiting[number]
                continue
            error = self._error_of(mine.waiting[number][0])
            if error is None and not over and number > mine.furthest - self.capacity // 2:
                continue  # slow rather than bad: it is asked again with the next chunk
            self._name(mine.waiting.pop(number), error)

    def leave(self) -> None:
        """The program ends: no next iterator will say what those have skipped that were given up."""
        if self._lock.acquire(timeout=SECONDS_AT_EXIT):
            try:
                self._glance_at_all()
            finally:
                self._lock.release()

    def _glance_at_all(self) -> None:
        for flight in self._flights.values():
            self._glance(flight)

    def _glance(self, mine: Flight) -> None:
        """One that may have been given up, as after ``take``: nobody will say that it is over. What fails again is named."""
        if not mine.waiting:
            return
        marks = _read(self.marks, mine.number % SLOTS * self.capacity, self.capacity)
        own = marks[marks >> 40 == mine.number]
        furthest = int(own.max() & ((1 << 40) - 1)) if own.size else -1
        for number in [one for one in mine.waiting if one < furthest]:
            if marks[number % self.capacity] == (mine.number << 40 | number):
                del mine.waiting[number]
            elif error := self._error_of(mine.waiting[number][0]):
                self._name(mine.waiting.pop(number), error)

    def _error_of(self, origin: Any) -> str | None:
        """What it raises when all is done once more; nothing when it does not, or that cannot be tried."""
        if self.again is None:
            return None
        try:
            self.again(origin)
        except KeyError:
            return "not known"
        except Exception as error:
            return told(error)
        return None

    def _name(self, element: tuple[Any, Any], error: str | None) -> None:
        origin, values = element
        unknown = "it failed, but not when retried" if self.again else "not known"
        error = error or unknown
        self._quarantine.add(error, **name_of(origin, values, error), **self._stage)


@atexit.register
def leave_all() -> None:
    """Name what was skipped and is not named yet. Registered after TensorFlow was imported, so that it is called before TensorFlow ends."""
    for book in list(BOOKS):
        try:
            book.leave()
        except Exception:
            continue  # the program is ending


def _read(marks: Any, start: int, count: int) -> Any:
    tf = library()

    with tf.init_scope():
        places = tf.range(start, start + count)
        return tf.raw_ops.ResourceGather(resource=marks, indices=places, dtype=tf.int64).numpy()


def forget(resource: Any) -> None:
    """Give a resource of TensorFlow's back."""
    try:
        tf = library()

        tf.raw_ops.DestroyResourceOp(resource=resource, ignore_lookup_error=True)
    except Exception:
        pass  # the program is ending
