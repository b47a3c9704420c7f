"""Build a pipeline again so that a bad element costs itself and nothing else, and is named.

Each run of ``map`` stages becomes one stretch whose failures are dropped and named (``numbered``), each reader of TFRecords one that finds its
way on behind damage (``damaged_records``); the stages between are built again as they were. The functions that TensorFlow has traced are used
as they are; those of ``interleave`` and ``flat_map`` are traced once more, so that what they build can be treated likewise. A stage that is not
known here stays as it is with all that is before it: an error there ends the run as it would have, and that is said when the pipeline is built.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from outlive.errors import OutliveError, UsageError
from outlive.keep.as_written import as_written
from outlive.keep.damaged_records import Files, reader, record_named
from outlive.keep.inside.tfdata import library
from outlive.keep.numbered import Book, Step, capacity_for, one_by_one, stretch
from outlive.keep.quarantine import Quarantine

#: Sources that cannot fail.
SOURCES = ("TensorSliceDataset", "TensorDataset", "RangeDataset", "RandomDataset")
MAPS = ("MapDataset", "ParallelMapDataset")

#: An element of at most so many values can be kept until it is known whether it came through.
SMALL = 16

#: What a filter may do without ever failing.
NEVER_FAILS = frozenset(
    {"Placeholder", "Const", "Identity", "NoOp", "ReadVariableOp", "Cast", "Shape", "Rank", "Size"}
    | {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}
    | {"LogicalAnd", "LogicalOr", "LogicalNot", "AddV2", "Sub", "Mul", "FloorMod"}
    | {"StaticRegexFullMatch", "StringLength", "StringLower"}
)


class SkipsLess(UserWarning):
    """A part of a pipeline that ``skip_bad`` does not reach: an error there ends the run, as it would have without it."""

    __module__ = "outlive"


@dataclass(frozen=True)
class Flow:
    """A part of the pipeline, built again."""

    dataset: Any
    named: bool = False  #: elements are (origin, element)
    sound: bool = True  #: no error comes out of it
    small: bool = False  #: elements are few numbers and short texts
    steady: bool = False  #: nothing is ever missing from it
    recall: Callable[[Any], Any] | None = None  #: what an element was at its source, by its name
    since: tuple[Callable[[Any], Any], ...] = ()  #: what was done to it since


class Pairs(NamedTuple):
    """A zip whose parts are to be mapped after it, so that a bad element takes its partners along."""

    zipped: Any
    parts: tuple[Any, ...]


def skip_bad(
    dataset: Any, log: str | os.PathLike[str] = "quarantine.jsonl", at_most: int = 1000
) -> Any:
    """The dataset without the elements that fail, each of which is named in ``log`` (a line of JSON each) with its error.

    A picture that cannot be decoded, a record that cannot be parsed, a TFRecord whose checksum is wrong, a file that is not there: it is
    skipped, alone, and training goes on. After more than ``at_most`` of them the run ends with an error: then it is not the data.

    Call it on the whole pipeline: what happens before a ``batch`` is skipped before the batch is made. A stage that it does not
    know is left as it is, and a warning (``SkipsLess``) says so. The number of elements of the result is not known beforehand.
    """
    if at_most < 0:
        raise UsageError(
            f"at_most must not be negative: {at_most}.", "0 ends the run at the first."
        )
    if not hasattr(dataset, "_variant_tensor") or not hasattr(dataset, "element_spec"):
        raise UsageError(
            f"skip_bad needs a tf.data.Dataset, not {type(dataset).__name__}.",
            "For example:  train = outlive.skip_bad(train, log='bad.jsonl')",
        )
    quarantine = Quarantine(log, at_most)
    try:
        return Builder(quarantine).build(dataset)
    except (AttributeError, TypeError, ValueError) as error:
        raise OutliveError(
            f"skip_bad does not know this TensorFlow's pipelines: {type(error).__name__}: {error}",
            "The dataset itself is unchanged. Please report it with the version of TensorFlow.",
        ) from error


class Builder:
    """Builds one pipeline again, from its end to its sources."""

    def __init__(self, quarantine: Quarantine) -> None:
        self._quarantine = quarantine
        self._files = Files(quarantine)

    def build(self, dataset: Any) -> Any:
        """The pipeline without what fails."""
        return self._flow(dataset, named=False).dataset

    def _flow(self, stage: Any, named: bool) -> Flow:
        """One part; ``named`` if somebody behind it would like to know where an element comes from."""
        steps, base, places = self._steps(stage)
        if any(step.apply is not None for step in steps):
            return self._stretch(base, steps, places, named)
        stage = unwrapped(stage)
        make = getattr(self, f"_{kind_of(stage)}", None)
        if kind_of(stage) in SOURCES:
            return Flow(stage, small=is_small(stage.element_spec), steady=True)
        if kind_of(stage) in SAME:
            before = self._flow(stage._input_dataset, named)
            return replace(before, dataset=SAME[kind_of(stage)](before.dataset, stage))
        return make(stage, named) if make is not None else self._unknown(stage)

    def _unknown(self, stage: Any) -> Flow:
        if list(stage._inputs()):
            warnings.warn(
                f"skip_bad does not know the stage {kind_of(stage)}: an error in it, or in what is before it, ends the run.",
                SkipsLess,
                stacklevel=2,
            )
        return Flow(stage, sound=False)

    # Stretches of maps

    def _steps(self, stage: Any) -> tuple[list[Step], Any, list[Any]]:
        """The maps at the end of a pipeline, what they stand on, and the stages that they were."""
        steps: list[Step] = []
        places: list[Any] = []
        stage = unwrapped(stage)
        while True:
            kind = kind_of(stage)
            if kind in MAPS and not gives_datasets(stage):
                steps.insert(0, step_of(stage))
                places.insert(0, stage)
            elif kind == "PrefetchDataset" and kind_of(unwrapped(stage._input_dataset)) in MAPS:
                steps.insert(0, Step(None, ahead=constant(stage._buffer_size)))
            else:
                break
            stage = unwrapped(stage._input_dataset)
        if kind_of(stage) == "ZipDataset":
            more, parts, inner = self._pushed(stage)
            if more:
                return [*more, *steps], Pairs(stage, parts), [*inner, *places]
        return steps, stage, places

    def _pushed(self, zipped: Any) -> tuple[list[Step], tuple[Any, ...], list[Any]]:
        """The maps in the parts of a zip, as functions of the whole, where every part then never misses an element."""
        tf = library()

        datasets = tf.nest.flatten(zipped._datasets)
        found: list[Step] = []
        parts, places = [], []
        for position, part in enumerate(datasets):
            steps, base, inner = self._steps(part)
            if isinstance(base, Pairs) or not self._is_steady(base):
                return [], (), []
            found += [
                replace(step, apply=at_position(zipped, position, step.apply))
                for step in steps
                if step.apply is not None
            ]
            parts.append(base)
            places += inner
        return found, tuple(parts), places

    def _is_steady(self, stage: Any) -> bool:
        while kind_of(stage) in SAME and kind_of(stage) != "FilterDataset":
            stage = unwrapped(stage._input_dataset)
        return kind_of(stage) in SOURCES

    def _stretch(
        self, base: Any, steps: Sequence[Step], places: Sequence[Any], named: bool
    ) -> Flow:
        before = self._paired(base) if isinstance(base, Pairs) else self._flow(base, named=True)
        applied = [step.apply for step in steps if step.apply is not None]
        spec = before.dataset.element_spec[1] if before.named else before.dataset.element_spec
        stage = {"stage": " → ".join(filter(None, map(line_of, places)))}
        whole = functools.partial(in_turn, applied)
        again = functools.partial(run_again, whole, spec)
        if before.sound and (before.named or before.small):
            book = Book(self._quarantine, stage, capacity_for(steps))
            recall = functools.partial(whole_of, spec, book) if before.small else before.recall
            since = (*(() if before.small else before.since), *applied)
            if recall is not None:
                book.again = functools.partial(from_the_source, recall, since)
            made = stretch(book, before.dataset, before.named, before.small, steps, named)
            return Flow(made, named=named, recall=recall, since=since)
        calls = next((step.calls for step in steps if step.calls is not None), None)
        source = before.dataset
        if before.named:
            source = source.map(as_written(lambda origin, element: element))
        made = one_by_one(self._quarantine, source, whole, again, calls, stage)
        return Flow(made, sound=before.sound)

    def _paired(self, base: Pairs) -> Flow:
        tf = library()

        flows = [self._flow(part, named=False) for part in base.parts]
        packed = tf.nest.pack_sequence_as(base.zipped._datasets, [flow.dataset for flow in flows])
        return Flow(
            tf.data.Dataset.zip(packed), small=all(flow.small for flow in flows), steady=True
        )

    # Stages that change what flows

    def _ZipDataset(self, stage: Any, named: bool) -> Flow:
        tf = library()

        parts = tf.nest.flatten(stage._datasets)
        if not all(self._is_steady(unwrapped(part)) for part in parts):
            # An element that one part skips would shift it against the others: errors stay errors, and go on in step.
            warnings.warn(
                "skip_bad leaves a zip as it is whose parts could lose elements: an error in one of them ends the run.",
                SkipsLess,
                stacklevel=2,
            )
            return Flow(stage, sound=False)
        return Flow(stage, small=is_small(stage.element_spec), steady=True)

    def _ConcatenateDataset(self, stage: Any, named: bool) -> Flow:
        first = self._flow(stage._input_dataset, named=False)
        second = self._flow(stage._dataset_to_concatenate, named=False)
        return Flow(
            first.dataset.concatenate(second.dataset),
            sound=first.sound and second.sound,
            small=first.small and second.small,
        )

    def _FilterDataset(self, stage: Any, named: bool) -> Flow:

        before = self._flow(stage._input_dataset, named)
        keep = caller_of(stage._predicate)

        @as_written
        def wanted(*element: Any) -> Any:
            whole = element if isinstance(before.dataset.element_spec, tuple) else element[0]
            return keep(whole[1] if before.named else whole)

        kinds = {node.type for node in stage._predicate.function.graph.get_operations()}
        return replace(
            before,
            dataset=before.dataset.filter(wanted),
            sound=before.sound and kinds <= NEVER_FAILS,
            steady=False,
        )

    def _batched(self, stage: Any, make: Callable[[Any], Any]) -> Flow:
        before = self._flow(stage._input_dataset, named=False)
        tf = library()

        specs = tf.nest.flatten(before.dataset.element_spec)
        fixed = all(
            getattr(spec, "shape", None) is not None and spec.shape.is_fully_defined()
            for spec in specs
        )
        return Flow(make(before.dataset), sound=before.sound and fixed)

    def _BatchDataset(self, stage: Any, named: bool) -> Flow:
        return self._batched(
            stage,
            lambda before: before.batch(
                stage._batch_size,
                drop_remainder=constant(stage._drop_remainder),
                num_parallel_calls=getattr(stage, "_num_parallel_calls", None),
            ),
        )

    _ParallelBatchDataset = _BatchDataset

    def _PaddedBatchDataset(self, stage: Any, named: bool) -> Flow:
        return self._batched(
            stage,
            lambda before: before.padded_batch(
                stage._batch_size,
                padded_shapes=stage._padded_shapes,
                padding_values=stage._padding_values,
                drop_remainder=constant(stage._drop_remainder),
            ),
        )

    # Readers, and functions that build datasets

    def _TFRecordDatasetV2(self, stage: Any, named: bool) -> Flow:
        tf = library()

        files = self._flow(stage._filenames, named=False)

        @as_written
        def read(file: Any) -> Any:
            return reader(self._files, file, stage._compression_type, stage._buffer_size)

        parallel = stage._num_parallel_reads
        if parallel is None:
            made = files.dataset.flat_map(read)
        elif constant(parallel) == tf.data.AUTOTUNE:
            made = files.dataset.interleave(read, num_parallel_calls=parallel)
        else:
            made = files.dataset.interleave(
                read, cycle_length=parallel, num_parallel_calls=parallel
            )
        return self._records(made, named, files.sound)

    def _records(self, made: Any, named: bool, sound: bool) -> Flow:

        if not named:
            made = made.map(as_written(lambda origin, record: record))
        return Flow(made, named=named, sound=sound, recall=record_named)

    def _InterleaveDataset(self, stage: Any, named: bool) -> Flow:
        return self._opened(
            stage,
            named,
            lambda before, build: before.interleave(
                build,
                cycle_length=stage._cycle_length,
                block_length=stage._block_length,
                num_parallel_calls=getattr(stage, "_num_parallel_calls", None),
                deterministic=ORDER.get(getattr(stage, "_deterministic", "default")),
            ),
        )

    _ParallelInterleaveDataset = _InterleaveDataset

    def _FlatMapDataset(self, stage: Any, named: bool) -> Flow:
        return self._opened(stage, named, lambda before, build: before.flat_map(build))

    def _opened(self, stage: Any, named: bool, make: Callable[[Any, Any], Any]) -> Flow:
        """Trace the function once more, and build again what it builds."""
        ag_ctx = library("python.autograph.core.ag_ctx")
        api = library("python.autograph.impl.api")

        if getattr(stage._map_func, "_func", None) is None or makes_a_generator(stage):
            return Flow(stage, sound=False)
        before = self._flow(stage._input_dataset, named=False)
        user = api.tf_convert(stage._map_func._func, ag_ctx.control_status_ctx())
        inner: list[Flow] = []

        @as_written
        def build(*element: Any) -> Any:
            flow = self._flow(user(*element), named)
            inner.append(flow)
            return flow.dataset

        made = make(before.dataset, build)
        return replace(
            inner[-1], dataset=made, sound=before.sound and inner[-1].sound, steady=False
        )


#: What a stage says of the order of parallel calls, as the methods take it.
ORDER = {"true": True, "false": False, "default": None}

#: Stages that hand elements on as they are, built again on another input.
SAME: dict[str, Callable[[Any, Any], Any]] = {
    "ShuffleDataset": lambda before, stage: before.shuffle(
        stage._buffer_size,
        seed=seed_of(stage),
        reshuffle_each_iteration=stage._reshuffle_each_iteration,
    ),
    "PrefetchDataset": lambda before, stage: before.prefetch(constant(stage._buffer_size)),
    "RepeatDataset": lambda before, stage: before.repeat(stage._count),
    "TakeDataset": lambda before, stage: before.take(stage._count),
    "SkipDataset": lambda before, stage: before.skip(stage._count),
    "ShardDataset": lambda before, stage: before.shard(stage._num_shards, stage._index),
    "CacheDataset": lambda before, stage: before.cache(constant(stage._filename).decode()),
    "OptionsDataset": lambda before, stage: before.with_options(stage._options),
}


def kind_of(stage: Any) -> str:
    """The class of a stage, without what versions put before it."""
    return type(stage).__name__.lstrip("_")


def unwrapped(stage: Any) -> Any:
    """Without TensorFlow 1's clothes."""
    while kind_of(stage) in ("DatasetV1Adapter",):
        stage = stage._dataset
    return stage


def constant(value: Any) -> Any:
    """The value of a parameter that TensorFlow keeps as a tensor."""
    tensor_util = library("python.framework.tensor_util")

    known = tensor_util.constant_value(value) if hasattr(value, "dtype") else value
    return known.item() if hasattr(known, "item") else known


def seed_of(stage: Any) -> int | None:
    """The seed that was given; none if none was."""
    first, second = constant(stage._seed), constant(stage._seed2)
    return None if not first and not second else int(second)


def is_small(spec: Any) -> bool:
    """Whether elements are a few numbers and texts."""
    tf = library()

    total = 0
    for part in tf.nest.flatten(spec):
        if not isinstance(part, tf.TensorSpec) or not part.shape.is_fully_defined():
            return False
        total += part.shape.num_elements() or 1
    return total <= SMALL


def gives_datasets(stage: Any) -> bool:
    """Whether a map makes datasets of elements: then these are what may fail."""
    tf = library()

    specs = tf.nest.flatten(stage._map_func.output_structure)
    return any(isinstance(spec, tf.data.DatasetSpec) for spec in specs)


def makes_a_generator(stage: Any) -> bool:
    """`from_generator` is a flat_map inside; when its generator raises, it is at its end."""
    nodes = stage._map_func.function.graph.get_operations()
    return any(node.type == "GeneratorDataset" for node in nodes)


def caller_of(wrapper: Any) -> Callable[[Any], Any]:
    """The traced function of a stage, on whole elements."""
    structure = library("python.data.util.structure")

    def call(element: Any) -> Any:
        flat = structure.to_tensor_list(wrapper._input_structure, element)
        given = wrapper.function(*flat)
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        return structure.from_compatible_tensor_list(wrapper.output_structure, given)

    return call


def step_of(stage: Any) -> Step:
    """A map as a step."""
    return Step(
        caller_of(stage._map_func),
        calls=getattr(stage, "_num_parallel_calls", None),
        deterministic=ORDER.get(getattr(stage, "_deterministic", "default")),
    )


def at_position(zipped: Any, position: int, apply: Any) -> Callable[[Any], Any]:
    """A function of one part of a zip as one of the whole."""
    tf = library()
    nest = library("python.data.util.nest")

    def whole(element: Any) -> Any:
        parts = nest.flatten_up_to(zipped._datasets, element)
        parts[position] = apply(parts[position])
        return tf.nest.pack_sequence_as(zipped._datasets, parts)

    return whole


def in_turn(functions: Sequence[Callable[[Any], Any]], element: Any) -> Any:
    """One after the other."""
    for function in functions:
        element = function(element)
    return element


def run_again(apply: Callable[[Any], Any], spec: Any, values: Sequence[Any]) -> None:
    """Once more, by itself, to hear what it says."""
    apply(packed(spec, values))


def packed(spec: Any, values: Sequence[Any]) -> Any:
    """An element of its values."""
    tf = library()

    flat = tf.nest.flatten(spec, expand_composites=True)
    tensors = [tf.constant(value, one.dtype) for value, one in zip(values, flat, strict=True)]
    return tf.nest.pack_sequence_as(spec, tensors, expand_composites=True)


def from_the_source(
    recall: Callable[[Any], Any], since: Sequence[Callable[[Any], Any]], origin: Any
) -> None:
    """All that was done to an element, once more."""
    in_turn(since, recall(origin))


def whole_of(spec: Any, book: Book, origin: Any) -> Any:
    """An element that a book remembers."""
    return packed(spec, book.values_of(origin))


def line_of(stage: Any) -> str:
    """Where the function of a map was written."""
    code = getattr(getattr(stage._map_func, "_func", None), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""
