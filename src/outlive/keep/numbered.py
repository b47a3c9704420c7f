"""A stretch of a pipeline in which elements may fail: each is numbered, those that came through are marked, the others are named.

A function that is called for every element costs some forty microseconds of tf.data, so there is none: numbers are given to a chunk of elements
at a time, and the mark is made inside the last function of the pipeline's own, which is called anyway and does not come to it when it
fails. ``ignore_errors`` then drops what failed. Which numbers have no mark is looked at with every chunk, and at the end.
"""

from __future__ import annotations

import collections
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from outlive.keep.as_written import as_written
from outlive.keep.inside.tfdata import library
from outlive.keep.quarantine import Quarantine

#: Elements that are numbered together: of those that are as large as a record, fewer.
CHUNK_OF_SMALL = 251
CHUNK = 61

#: No two have marks in common.
BOOKS = itertools.count()

#: How many numbers can be on their way in one iterator, and how many iterators of one pipeline are told apart.
CAPACITY = 1 << 12
SLOTS = 128

#: An element without a mark may still be on its way: those behind it overtake it by no more than this, or it is asked again later.
OVERTAKEN = 256

#: So many elements are remembered by their names, for stretches further on.
REMEMBERED = 20_000

#: The name of an element has as many of its values.
MOST_VALUES = 6
LONGEST_VALUE = 300


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
                dtype=tf.int64, shape=[SLOTS * capacity], shared_name=f"outlive-marks-{next(BOOKS)}"
            )
            none = tf.fill([SLOTS * capacity], tf.constant(-1, tf.int64))
            tf.raw_ops.AssignVariableOp(resource=self.marks, value=none)
        weakref.finalize(self, _forget, self.marks)

    def begin(self) -> int:
        """An iterator starts."""
        with self._lock:
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
        unknown = "it failed; when it was tried again it did not" if self.again else "not known"
        self._quarantine.add(error or unknown, **name_of(origin, values), **self._stage)


def capacity_for(steps: Sequence[Step]) -> int:
    """Room for all that the buffers between the steps may hold, several times over."""
    ahead = sum(max(0, int(step.ahead)) for step in steps if step.ahead is not None)
    return max(CAPACITY, 1 << (4 * ahead).bit_length())


def _read(marks: Any, start: int, count: int) -> Any:
    tf = library()

    with tf.init_scope():
        places = tf.range(start, start + count)
        return tf.raw_ops.ResourceGather(resource=marks, indices=places, dtype=tf.int64).numpy()


def _forget(marks: Any) -> None:
    try:
        tf = library()

        tf.raw_ops.DestroyResourceOp(resource=marks, ignore_lookup_error=True)
    except Exception:
        pass  # the program is ending


def name_of(origin: Any, values: Sequence[Any]) -> dict[str, Any]:
    """A file and a record, or the values of the element themselves."""
    text = as_text(origin)
    path, mark, number = text.rpartition("#")
    if mark and number.isdigit() and path:
        return {"file": path, "record": int(number)}
    import os

    texts = [text for text in map(as_text, values) if text]
    file = next((one for one in [text, *texts] if one and os.path.exists(one)), None)
    if file is not None:
        return {"file": file}
    return {"element": texts[:MOST_VALUES] or text}


def as_text(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")[:LONGEST_VALUE]
    shape = getattr(value, "shape", ())
    if shape:
        return f"{getattr(value, 'dtype', '')} of shape {tuple(shape)}"
    return str(value)[:LONGEST_VALUE]


def told(error: BaseException) -> str:
    """The first words of an error, without where in a graph it came up."""
    if isinstance(
        error, UnicodeDecodeError
    ):  # TensorFlow's own words, with bytes of the element in them
        message = error.object.decode("utf-8", "backslashreplace").strip().splitlines()[0]
        return message.rpartition("}} ")[2] or message
    message = str(getattr(error, "message", "") or error).strip()
    lines = [line.strip() for line in message.partition("[[{{node")[0].splitlines()]
    lines = [line for line in lines if line]
    words = "" if not lines else lines[-1] if message.startswith("Graph exec") else lines[0]
    words = words.rpartition("}} ")[2].partition(" [Op:")[0] or words
    return f"{type(error).__name__}: {words}"


@dataclass(frozen=True)
class Step:
    """A function of the pipeline's own, and how it is called; or, without one, a buffer between two."""

    apply: Callable[[Any], Any] | None
    calls: Any = None  #: num_parallel_calls
    deterministic: bool | None = None
    ahead: Any = None  #: of a buffer, how many


def stretch(
    book: Book,
    source: Any,
    named: bool,
    small: bool,
    steps: Sequence[Step],
    keep_names: bool,
) -> Any:
    """The steps on a source, without what fails in them. The source's elements are ``(origin, element)`` if it is ``named``."""
    tf = library()

    chunk_size = CHUNK_OF_SMALL if small else CHUNK
    last = max(place for place, step in enumerate(steps) if step.apply is not None)

    @as_written
    def iterate(_: Any) -> Any:
        flight = called(book.begin, [], tf.int64)

        @as_written
        def enter(place: Any, chunk: Any) -> Any:
            origins, element = chunk if named else (None, chunk)
            flat = tf.nest.flatten(element)
            count = tf.cast(tf.shape(flat[0])[0], tf.int64)
            first = place * chunk_size
            numbers = first + tf.range(count, dtype=tf.int64)
            if origins is None:
                texts = [one for one in flat if one.dtype == tf.string and one.shape.rank == 1]
                origins = texts[0] if texts else tf.strings.as_string(numbers)
            values = flat if small else []
            may = called(book.enter, [flight, first, origins, *values], tf.bool)
            at = flight % SLOTS * book.capacity + numbers % book.capacity
            mark = tf.bitwise.bitwise_or(
                tf.bitwise.left_shift(flight, tf.constant(40, tf.int64)), numbers
            )
            return may, (at, mark, origins, element)

        chunks = source.batch(chunk_size).enumerate().map(enter)
        chunks = chunks.take_while(as_written(lambda may, chunk: may))
        flow = chunks.map(as_written(lambda may, chunk: chunk)).unbatch()
        for place, step in enumerate(steps):
            if step.apply is None:
                flow = flow.prefetch(step.ahead)
                continue
            function = ending(step.apply) if place == last else carrying(step.apply)
            flow = flow.map(
                function, num_parallel_calls=step.calls, deterministic=step.deterministic
            )
        main = flow.ignore_errors()
        end = tf.data.Dataset.from_tensors(0)
        end = end.filter(as_written(lambda _: called(book.finish, [flight], tf.bool)))
        return main.concatenate(end.flat_map(as_written(lambda _: main.take(0))))

    def carrying(apply: Any) -> Any:
        return as_written(lambda at, mark, origin, element: (at, mark, origin, apply(element)))

    def ending(apply: Any) -> Any:
        @as_written
        def mark_it(at: Any, mark: Any, origin: Any, element: Any) -> Any:
            made = apply(element)
            # The values themselves, not the call that makes them: one that is put in line may be left before they are there.
            parts = [tf.identity(part) for part in tf.nest.flatten(made, expand_composites=True)]
            with tf.control_dependencies(parts):
                marked = tf.raw_ops.ResourceScatterUpdate(
                    resource=book.marks, indices=at, updates=mark
                )
            with tf.control_dependencies([marked]):
                parts = [tf.identity(part) for part in parts]
            made = tf.nest.pack_sequence_as(made, parts, expand_composites=True)
            return (origin, made) if keep_names else made

        return mark_it

    return tf.data.Dataset.from_tensors(0).flat_map(iterate)


def called(act: Callable[..., Any], arguments: list[Any], kind: Any) -> Any:
    """A method of ours that gives one number or truth."""
    numpy = sys.modules["numpy"]
    tf = library()

    form = kind.as_numpy_dtype
    given = tf.numpy_function(lambda *values: numpy.array(act(*values), form), arguments, kind)
    return tf.ensure_shape(given, [])


def one_by_one(
    quarantine: Quarantine, source: Any, apply: Any, again: Any, calls: Any, stage: dict[str, Any]
) -> Any:
    """The same where elements cannot be numbered: the source itself may fail, or has nothing small to be named by.

    Each element is a pipeline of its own; what fails in the source goes on to the program.
    """
    tf = library()

    def note(*values: Any) -> bool:
        try:
            again(values)
            error = "it failed; when it was tried again it did not"
        except Exception as raised:
            error = told(raised)
        quarantine.add(error, **name_of("", values), **stage)
        quarantine.refuse_more()
        return False

    several = isinstance(source.element_spec, tuple)

    @as_written
    def act(*parts: Any) -> Any:
        return apply(parts if several else parts[0])

    @as_written
    def report(*parts: Any) -> Any:
        return called(note, tf.nest.flatten(parts, expand_composites=True), tf.bool)

    @as_written
    def single(*element: Any) -> Any:
        alone = tf.data.Dataset.from_tensors(element if several else element[0])
        return alone.map(act).ignore_errors().concatenate(alone.filter(report).map(act)).take(1)

    if calls is None:
        return source.flat_map(single)
    return source.interleave(single, num_parallel_calls=calls, deterministic=True)
