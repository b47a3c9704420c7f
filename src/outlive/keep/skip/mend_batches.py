"""Maps with a batch behind them, as TensorFlow runs them best: fused, so that one bad element costs its whole batch; and mended behind it.

What a clean pipeline pays, per chunk and per batch and not per element: elements are numbered, the numbers come out with the batch, and when they
are the next ones the batch goes on as it is. Only where numbers are missing are their elements done again (``passage``), and the batches
behind are filled up so that all are full. ``rebatch`` copies nothing as long as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from outlive.inside.tfdata.tf_private import library
from outlive.keep.skip import cheap_stages
from outlive.keep.skip.fused_batches import BITS, ELEMENT, SLOTS, Passage
from outlive.keep.skip.marked_stretch import CHUNK, CHUNK_OF_SMALL, Step
from outlive.keep.skip.no_autograph import as_written


def mended_batches(
    passage: Passage,
    source: Any,
    named: bool,
    small: bool,
    steps: Sequence[Step],
    size: int,
    drop_remainder: bool,
    parallel: Any,
) -> Any:
    """Batches of what the steps make of a source. The source's elements are ``(origin, element)`` if it is ``named``."""
    flow = _numbered(passage, source, named, small)
    for step in steps:
        if step.apply is None:
            flow = flow.prefetch(step.ahead)
        else:
            flow = flow.map(_carrying(step.apply), **in_order(step.calls))
    flow = flow.batch(size, **in_order(parallel))
    return _mended(passage, flow).rebatch(size, drop_remainder=drop_remainder)


def in_order(calls: Any) -> dict[str, Any]:
    """Whatever the options say: a number that is overtaken would be taken for missing."""
    return {} if calls is None else {"num_parallel_calls": calls, "deterministic": True}


def _carrying(apply: Any) -> Any:
    return as_written(lambda number, element: (number, apply(element)))


def _numbered(passage: Passage, source: Any, named: bool, small: bool) -> Any:
    """The source's elements, each with its number."""
    tf = library()

    def enter(following: Any, chunk: Any) -> Any:
        origins, element = chunk if named else (None, chunk)
        flat = tf.nest.flatten(element)
        if origins is None:
            texts = [one for one in flat if one.dtype == tf.string and one.shape.rank == 1]
            origins = (texts or flat)[0]
        values = flat if small else []
        following, may, numbers = tf.numpy_function(
            noted, [following, origins, *values], [tf.int64, tf.bool, tf.int64]
        )
        for made, shape in ((following, []), (may, []), (numbers, [None])):
            made.set_shape(shape)
        return following, (may, (numbers, element))

    def noted(following: Any, origins: Any, *values: Any) -> Any:
        numpy = sys.modules["numpy"]

        first = passage.enter(int(following), origins, *values)
        numbers = first + numpy.arange(len(origins), dtype=numpy.int64)
        return numpy.int64(first + len(origins)), numpy.bool_(first >= 0), numbers

    chunks = source.batch(CHUNK_OF_SMALL if small else CHUNK)
    chunks = chunks.concatenate(tf.data.Dataset.from_tensors(_nothing(chunks.element_spec)))
    numbers = tf.TensorSpec([None], tf.int64)
    spec = (
        tf.TensorSpec([], tf.bool),
        (numbers, chunks.element_spec[1] if named else chunks.element_spec),
    )
    chunks = cheap_stages.scan(chunks, tf.constant(-1, tf.int64), enter, spec)
    chunks = cheap_stages.taken_while(chunks, lambda entered: entered[0])
    return cheap_stages.second(chunks).unbatch()


def _mended(passage: Passage, flow: Any) -> Any:
    """The batches, with what is missing between them."""
    tf = library()

    spec = flow.element_spec[1]
    kinds = [one.dtype for one in tf.nest.flatten(spec)]

    def mend(expected: Any, found: Any, *batch: Any) -> list[Any]:
        made = passage.mend(int(expected), int(found))
        columns = list(zip(*map(tf.nest.flatten, made), strict=True))
        if not made:
            return [found >= 0, *batch]
        for place, parts in enumerate(columns):
            behind = [] if found < 0 else [batch[place].shape[1:]]
            refuse_unlike(place, [*(part.shape for part in parts), *behind])
        rows = [tf.stack(parts) for parts in columns]
        return [True, *(rows if found < 0 else map(_joined, rows, batch))]

    def look(expected: Any, numbers_and_batch: Any) -> Any:
        numbers, batch = numbers_and_batch
        found, following = numbers[0], numbers[-1] + 1
        # -1 is what is expected before the first: an iterator's first element has the number 0 in it.
        next_one = tf.where(expected < 0, tf.bitwise.bitwise_and(found, ELEMENT), found - expected)
        flat = tf.nest.flatten(batch)

        def as_it_is() -> list[Any]:
            slot = tf.bitwise.right_shift(following, tf.constant(BITS, tf.int64)) % SLOTS
            told = tf.raw_ops.ResourceScatterUpdate(
                resource=passage.progress, indices=slot, updates=following
            )
            with tf.control_dependencies([told]):
                return [tf.constant(True), *(tf.identity(one) for one in flat)]

        def mended() -> list[Any]:
            keep, *rows = tf.py_function(mend, [expected, found, *flat], [tf.bool, *kinds])
            for row, one in zip([keep, *rows], [keep, *flat], strict=True):
                row.set_shape([] if one is keep else one.shape)
            return [keep, *rows]

        keep, *rows = tf.cond((next_one == 0) & (found >= 0), as_it_is, mended)
        return following, (keep, tf.nest.pack_sequence_as(spec, rows))

    end = (tf.constant([-1], tf.int64), _nothing(spec))
    pieces = flow.ignore_errors().concatenate(tf.data.Dataset.from_tensors(end))
    found = (tf.TensorSpec([], tf.bool), spec)
    pieces = cheap_stages.scan(pieces, tf.constant(-1, tf.int64), look, found)
    pieces = cheap_stages.filtered(pieces, lambda piece: piece[0])
    return cheap_stages.second(pieces)


def refuse_unlike(component: int, shapes: Sequence[Any]) -> None:
    """What cannot be one batch ends the run as it would have, with TensorFlow's own words for it."""
    for number, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                f"Cannot batch tensors with different shapes in component {component}. "
                f"First element had shape {list(shapes[0])} and element {number} had shape {list(shape)}."
            )


def _joined(rows: Any, batch: Any) -> Any:
    return library().concat([rows, batch], 0)


def _nothing(spec: Any) -> Any:
    """A batch without elements."""
    tf = library()

    def empty(one: Any) -> Any:
        return tf.zeros([0, *(size or 0 for size in one.shape[1:])], one.dtype)

    return tf.nest.map_structure(empty, spec)
