"""A stretch of a pipeline in which elements may fail: each is numbered, those that came through are marked, the others are named.

A function that is called for every element costs some forty microseconds of tf.data, so there is none: numbers are given to a chunk of elements
at a time, and the mark is made inside the last function of the pipeline's own, which is called anyway and does not come to it when it
fails. ``ignore_errors`` then drops what failed. Which numbers have no mark is looked at with every chunk, and at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outlive.inside.tfdata.tf_private import library
from outlive.keep.skip import cheap_stages
from outlive.keep.skip.in_flight import CAPACITY, SLOTS, Book
from outlive.keep.skip.no_autograph import as_written
from outlive.keep.skip.quarantine import Quarantine
from outlive.keep.skip.stage_values import is_fixed
from outlive.keep.skip.wording import name_of, told

#: Elements that are numbered together: of those that are as large as a record, fewer.
CHUNK_OF_SMALL = 251
CHUNK = 61


def capacity_for(steps: Sequence[Step]) -> int:
    """Room for all that the buffers between the steps may hold, several times over."""
    ahead = sum(max(0, int(step.ahead)) for step in steps if step.ahead is not None)
    return max(CAPACITY, 1 << (4 * ahead).bit_length())


@dataclass(frozen=True)
class Step:
    """A function of the pipeline's own, and how it is called; or, without one, a buffer between two."""

    apply: Callable[[Any], Any] | None
    calls: Any = None  #: num_parallel_calls
    deterministic: bool | None = None
    ahead: Any = None  #: of a buffer, how many


@dataclass(frozen=True, eq=False)
class Stretch:
    """The steps on a source, without what fails in them. The source's elements are ``(origin, element)`` if it is ``named``."""

    book: Book
    source: Any
    named: bool
    small: bool
    steps: Sequence[Step]
    keep_names: bool

    @property
    def chunk_size(self) -> int:
        """How many elements are numbered together."""
        return CHUNK_OF_SMALL if self.small else CHUNK

    def dataset(self) -> Any:
        """Make a pipeline that numbers its elements anew whenever it is iterated."""
        return cheap_stages.flat_mapped(
            library().data.Dataset.from_tensors(0), as_written(self._iterate)
        )

    def _iterate(self, _: Any) -> Any:
        """Begin one iteration: what has a mark, and behind it nothing, which looks for what has none."""
        tf = library()
        flight = called(self.book.begin, [], tf.int64)

        def none_left() -> Any:
            return tf.cast(called(self.book.finish, [flight], tf.bool), tf.int64)

        main = self._stepped(self._entering(flight)).ignore_errors()
        end = cheap_stages.flat_mapped(
            tf.data.Dataset.from_tensors(0), lambda _: main.take(none_left())
        )
        return main.concatenate(end)

    def _entering(self, flight: Any) -> Any:
        """Give the source's elements their places, marks and names, a chunk at a time."""
        if self.small or is_fixed(self.source.element_spec):
            return self._in_chunks(flight)
        return self._in_windows(flight)

    def _in_chunks(self, flight: Any) -> Any:
        """Number elements that can be stacked."""
        tf = library()

        def enter(placed: Any) -> Any:
            place, chunk = placed
            origins, element = chunk if self.named else (None, chunk)
            flat = tf.nest.flatten(element)
            count = tf.cast(tf.shape(flat[0])[0], tf.int64)
            may, at, mark, origins = self._numbered(flight, place, origins, flat, count)
            return may, (at, mark, origins, element)

        chunks = self.source.batch(self.chunk_size)
        element = chunks.element_spec[1] if self.named else chunks.element_spec
        chunks = cheap_stages.mapped(chunks.enumerate(), enter, entered(element))
        flow = cheap_stages.taken_while(chunks, lambda entry: entry[0])
        return cheap_stages.second(flow).unbatch()

    def _in_windows(self, flight: Any) -> Any:
        """Number elements that differ in shape: they cannot be stacked, but handed on in windows."""
        tf = library()

        @as_written
        def is_open(place: Any, window: Any) -> Any:
            return called(self.book.may_go_on, [], tf.bool)

        @as_written
        def open_window(place: Any, window: Any) -> Any:
            names, elements = window
            origins = names.batch(self.chunk_size).get_single_element()
            count = tf.size(origins, tf.int64)
            may, *given = self._numbered(flight, place, origins, [], count)
            heads = [tf.data.Dataset.from_tensor_slices(part) for part in given]
            whole = tf.data.Dataset.zip((*heads, tf.data.Dataset.zip(elements)))
            return whole.take(tf.where(may, tf.constant(-1, tf.int64), 0))

        windows = self.source.window(self.chunk_size).enumerate()
        return windows.take_while(is_open).flat_map(open_window)

    def _numbered(
        self, flight: Any, place: Any, origins: Any, flat: Sequence[Any], count: Any
    ) -> tuple[Any, Any, Any, Any]:
        """Whether a chunk may enter, and its elements' places in the book, their marks and names."""
        tf = library()
        first = place * self.chunk_size
        numbers = first + tf.range(count, dtype=tf.int64)
        mark = tf.bitwise.bitwise_or(
            tf.bitwise.left_shift(flight, tf.constant(40, tf.int64)), numbers
        )
        if origins is None:
            texts = [part for part in flat if part.dtype == tf.string and part.shape.rank == 1]
            origins = texts[0] if texts else tf.strings.as_string(mark)
        values = flat if self.small else []
        may = called(self.book.enter, [flight, first, origins, *values], tf.bool)
        at = flight % SLOTS * self.book.capacity + numbers % self.book.capacity
        return may, at, mark, origins

    def _stepped(self, flow: Any) -> Any:
        """Apply the steps; the last function of the pipeline's own makes the mark."""
        last = max(place for place, step in enumerate(self.steps) if step.apply is not None)
        for place, step in enumerate(self.steps):
            if step.apply is None:
                flow = flow.prefetch(step.ahead)
                continue
            function = self._marking(step.apply) if place == last else carrying(step.apply)
            flow = flow.map(
                function, num_parallel_calls=step.calls, deterministic=step.deterministic
            )
        return flow

    def _marking(self, apply: Callable[[Any], Any]) -> Any:
        """Make a function that applies one of the pipeline's and marks the element once its values are there."""
        tf = library()

        @as_written
        def mark_it(at: Any, mark: Any, origin: Any, element: Any) -> Any:
            made = apply(element)
            # The values themselves, not the call that makes them: one that is put in line may be left before they are there.
            flat = tf.nest.flatten(made, expand_composites=True)
            parts = [tf.identity(part) for part in flat if part is not None]
            with tf.control_dependencies(parts):
                marked = tf.raw_ops.ResourceScatterUpdate(
                    resource=self.book.marks, indices=at, updates=mark
                )
            with tf.control_dependencies([marked]):
                marked_parts = iter([tf.identity(part) for part in parts])
            flat = [None if part is None else next(marked_parts) for part in flat]
            made = tf.nest.pack_sequence_as(made, flat, expand_composites=True)
            return (origin, made) if self.keep_names else made

        return mark_it


def carrying(apply: Callable[[Any], Any]) -> Any:
    """Make a function that applies one of the pipeline's and hands on the element's place, mark and name."""
    return as_written(lambda at, mark, origin, element: (at, mark, origin, apply(element)))


def entered(element: Any) -> Any:
    """What a chunk is when it has entered: whether it may, and places, marks, names and the elements themselves."""
    tf = library()

    numbers = tf.TensorSpec([None], tf.int64)
    return tf.TensorSpec([], tf.bool), (numbers, numbers, tf.TensorSpec([None], tf.string), element)


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
            error = "it failed, but not when retried"
        except Exception as raised:
            error = told(raised)
        quarantine.add(error, **name_of("", values, error), **stage)
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
