"""Who went into a run of maps with a batch behind it: asked only when a batch did not come out.

As long as all batches come out one behind the other, nobody is told here what comes out; what went in is noted, a chunk of elements at a time.
When one is missing, its elements are done once more, each by itself: those that fail are named, the others take their places.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from outlive.inside.tfdata.tf_private import library
from outlive.keep.skip.in_flight import forget
from outlive.keep.skip.quarantine import Quarantine
from outlive.keep.skip.wording import name_of, told

#: A number is that of the iterator, and in these bits that of the element in it.
BITS = 40
ELEMENT = (1 << BITS) - 1

#: So many iterators of one pipeline are told apart when it is asked how far they came.
SLOTS = 128

#: So many elements may be on their way before it is asked whether any comes out at all: where all of an endless source fail, none does.
#: More than fused maps keep (16 batches), or what is waited for could be mistaken for what failed; that would only cost time.
ON_THE_WAY = 20_000

#: No two passages have a record of progress in common.
PASSAGES = itertools.count()

#: What one element gave, or what it raised.
Outcome = tuple[Any, str]


@dataclass
class Chunk:
    """Elements that went in together."""

    first: int
    origins: Sequence[Any]
    values: Sequence[Any]  #: for each component of the elements, where they are small; else none

    def element(self, number: int) -> tuple[Any, list[Any]]:
        """What its element of this number is called, and its values."""
        place = number - self.first
        return self.origins[place], [value[place] for value in self.values]


@dataclass
class Flight:
    """The elements that one iterator has on their way."""

    chunks: list[Chunk] = field(default_factory=list)
    entered: int = 0
    mended: int = 0  #: the number behind the last that was
    exhausted: bool = False  #: the source has come to its end


class Passage:
    """All iterators of one run of maps. Its methods are called by the pipeline, in threads of TensorFlow's."""

    def __init__(
        self,
        quarantine: Quarantine,
        stage: dict[str, Any],
        redo: Callable[[Any, Sequence[Any]], Any],
    ) -> None:
        tf = library()

        self._quarantine = quarantine
        self._stage = stage
        self._redo = redo
        self._lock = threading.Lock()
        self._flights: dict[int, Flight] = {}
        self._numbers = itertools.count()
        # No tf.Variable: the program could find it among its own.
        with tf.init_scope(), tf.device("/cpu:0"):
            self.progress = tf.raw_ops.VarHandleOp(
                dtype=tf.int64, shape=[SLOTS], shared_name=f"outlive-progress-{next(PASSAGES)}"
            )
            tf.raw_ops.AssignVariableOp(
                resource=self.progress, value=tf.fill([SLOTS], tf.constant(-1, tf.int64))
            )
        weakref.finalize(self, forget, self.progress)

    def enter(self, number: int, origins: Any, *values: Any) -> int:
        """A chunk goes in, at this number, or as the first of an iterator if it is negative; its number, or -1 when it may not."""
        with self._lock:
            flight = self._begin() if number < 0 else int(number) >> BITS
            mine = self._flights.get(flight)
            if mine is None:  # its end was seen already
                return -1
            first = mine.entered
            mine.entered += len(origins)
            mine.exhausted = len(origins) == 0
            if len(origins):
                mine.chunks.append(Chunk(first, origins, values))
            came = self._came(flight)
            while mine.chunks and mine.chunks[0].first + len(mine.chunks[0].origins) <= came:
                del mine.chunks[0]
            stuck = mine.chunks[0] if mine.entered - came > ON_THE_WAY else None
        if stuck is not None:
            self._outcomes([stuck.element(stuck.first + k) for k in range(len(stuck.origins))])
            if self._quarantine.full:
                return -1
        return flight << BITS | first

    def mend(self, expected: int, found: int) -> list[Any]:
        """What those elements give that should have come out before this number; all that are left, if it is negative: the end."""
        with self._lock:
            if found >= 0:
                flight, end = found >> BITS, found & ELEMENT
            else:
                flight = expected >> BITS if expected >= 0 else self._that_gave_nothing()
                end = self._flights[flight].entered if flight in self._flights else 0
            mine = self._flights.get(flight) if found >= 0 else self._flights.pop(flight, None)
            if mine is not None:
                mine.mended = end + 1  # with the batch that is found
            start = expected & ELEMENT if expected >= 0 else 0
            missing = [
                chunk.element(number)
                for chunk in (mine.chunks if mine is not None else [])
                for number in range(
                    max(start, chunk.first), min(end, chunk.first + len(chunk.origins))
                )
            ]
        given = self._outcomes(missing)
        self._quarantine.refuse_more()
        return given

    def _begin(self) -> int:
        flight = next(self._numbers)
        self._flights[flight] = Flight()
        while len(self._flights) > SLOTS:
            del self._flights[next(iter(self._flights))]  # given up long ago
        return flight

    def _came(self, flight: int) -> int:
        """How many came out, or were mended."""
        tf = library()

        with tf.init_scope():
            last = tf.raw_ops.ReadVariableOp(resource=self.progress, dtype=tf.int64)
        number = int(last[flight % SLOTS])
        seen = number & ELEMENT if number >= 0 and number >> BITS == flight else 0
        return max(seen, self._flights[flight].mended)

    def _that_gave_nothing(self) -> int:
        """An iterator that is at its end and gave no batch. Of several it does not matter which: all read the same source."""
        for flight, mine in self._flights.items():
            if mine.exhausted and self._came(flight) == 0:
                return flight
        return -1

    def _outcomes(self, elements: Sequence[tuple[Any, list[Any]]]) -> list[Any]:
        """What the good ones give; the others are named."""
        if not elements:
            return []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
            outcomes = list(threads.map(self._outcome, elements))
        for (origin, values), (_, error) in zip(elements, outcomes, strict=True):
            if error:
                self._quarantine.add(error, **name_of(origin, values, error), **self._stage)
        return [made for made, error in outcomes if not error]

    def _outcome(self, element: tuple[Any, list[Any]]) -> Outcome:
        tf = library()

        try:
            with tf.device("/cpu:0"):  # where pipelines run
                return self._redo(*element), ""
        except Exception as error:
            return None, told(error)
