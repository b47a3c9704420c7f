"""A pipeline, built again so that a bad element costs itself and nothing else.

Each run of ``map`` stages becomes one stretch whose failures are dropped and named (``marked_stretch``), each reader of TFRecords one that finds its
way on behind damage (``damaged_records``); the stages between are built again as they were. The functions that TensorFlow has traced are used
as they are; those of ``interleave`` and ``flat_map`` are traced once more, so that what they build can be treated likewise. A stage that is not
known here stays as it is with all that is before it: an error there ends the run as it would have, and that is said when the pipeline is built.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from outlive.inside.tfdata import stage_table
from outlive.inside.tfdata.datasets import unwrapped
from outlive.inside.tfdata.stage_table import known
from outlive.inside.tfdata.tf_private import (
    autograph,
    class_of,
    concatenated_in,
    input_of,
    inputs_of,
    library,
    mapping_of,
    options_set_by,
    parameter,
    parameter_or,
    predicate_of,
    readers_in,
    written_function,
    zipped_in,
)
from outlive.keep.skip import cheap_stages
from outlive.keep.skip.damaged_records import Files, if_it_opens, reader, record_named
from outlive.keep.skip.fused_batches import Passage
from outlive.keep.skip.in_flight import Book
from outlive.keep.skip.marked_stretch import Step, Stretch, capacity_for, one_by_one
from outlive.keep.skip.mend_batches import mended_batches
from outlive.keep.skip.no_autograph import as_written
from outlive.keep.skip.quarantine import Quarantine
from outlive.keep.skip.replay import (
    at_position,
    caller_of,
    from_the_source,
    in_turn,
    made_of,
    made_of_origin,
    packed,
    run_again,
)
from outlive.keep.skip.stage_values import (
    ORDER,
    before_unbatch,
    constant,
    gives_datasets,
    is_dense,
    is_fixed,
    is_small,
    line_of,
    makes_a_generator,
    never_fails,
    only_counts,
    seed_of,
)

#: The attribute of a dataset that has been built here, so that it is not built again as a part of another.
OURS = "_outlive_skips"


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
    recall: Callable[[Any], Any] | None = None  #: what an element was at its source, by its name
    since: tuple[Callable[[Any], Any], ...] = ()  #: what was done to it since


class Pairs(NamedTuple):
    """A zip whose parts are to be mapped after it, so that a bad element takes its partners along."""

    zipped: Any
    parts: tuple[Any, ...]


class Builder:
    """Builds one pipeline again, from its end to its sources."""

    def __init__(self, quarantine: Quarantine) -> None:
        self._quarantine = quarantine
        self._files = Files(quarantine)
        self._in_order = True
        self._inside = 0  #: how many functions of ``interleave`` and the like deep
        self._said: set[str] = set()

    def build(self, dataset: Any) -> Any:
        """The pipeline without what fails."""
        self._in_order = dataset.options().deterministic is not False
        built = self._flow(dataset, named=False).dataset
        setattr(built, OURS, True)
        return built

    def _flow(self, stage: Any, named: bool) -> Flow:
        """One part; ``named`` if somebody behind it would like to know where an element comes from."""
        steps, base, places = self._steps(stage)
        if any(step.apply is not None for step in steps):
            return self._stretch(base, steps, places, named)
        stage = unwrapped(stage)
        if is_ours(stage):
            return Flow(stage)
        if is_a_source(stage):
            return Flow(stage, small=is_small(stage.element_spec))
        way = way_of(stage)
        if way == stage_table.SAME:
            before = self._flow(input_of(stage), named)
            return replace(before, dataset=SAME[class_of(stage)](before.dataset, stage))
        make = WAYS.get(way or "")
        return make(self, stage, named) if make is not None else self._unknown(stage)

    def _say_less(self, text: str) -> None:
        """Once, although a part may be looked at in more than one way until one is found to build it."""
        if text not in self._said:
            self._said.add(text)
            warnings.warn(text, SkipsLess, stacklevel=2)

    def _unknown(self, stage: Any) -> Flow:
        before = ", or in what is before it," if inputs_of(stage) else ""
        self._say_less(
            f"skip_bad does not know the stage {class_of(stage)}: an error in it{before} ends the run."
        )
        return Flow(stage, sound=False)

    # Stretches of maps

    def _steps(self, stage: Any) -> tuple[list[Step], Any, list[Any]]:
        """The maps at the end of a pipeline, what they stand on, and the stages that they were."""
        steps: list[Step] = []
        places: list[Any] = []
        stage = unwrapped(stage)
        while not is_ours(stage):
            if way_of(stage) == stage_table.MAP and not gives_datasets(stage):
                steps.insert(0, step_of(stage))
                places.insert(0, stage)
            elif class_of(stage) == "PrefetchDataset" and follows_a_map(stage):
                steps.insert(0, Step(None, ahead=constant(parameter(stage, "buffer_size"))))
            else:
                break
            stage = unwrapped(input_of(stage))
        if way_of(stage) == stage_table.ZIP:
            more, parts, inner = self._pushed(stage)
            if more:
                return [*more, *steps], Pairs(stage, parts), [*inner, *places]
        return steps, stage, places

    def _pushed(self, zipped: Any) -> tuple[list[Step], tuple[Any, ...], list[Any]]:
        """The maps in the parts of a zip, as functions of the whole, where every part then never misses an element."""
        tf = library()

        datasets = tf.nest.flatten(zipped_in(zipped))
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
        while way_of(stage) == stage_table.SAME:
            stage = unwrapped(input_of(stage))
        return is_a_source(stage)

    def _before(self, base: Any) -> Flow:
        return self._paired(base) if isinstance(base, Pairs) else self._flow(base, named=True)

    def _stretch(
        self, base: Any, steps: Sequence[Step], places: Sequence[Any], named: bool
    ) -> Flow:
        before = self._before(base)
        applied = [step.apply for step in steps if step.apply is not None]
        spec = before.dataset.element_spec[1] if before.named else before.dataset.element_spec
        stage = written_at(places)
        whole = functools.partial(in_turn, applied)
        again = functools.partial(run_again, whole, spec)
        if before.sound and (before.named or before.small):
            book = Book(self._quarantine, stage, capacity_for(steps))
            recall = functools.partial(whole_of, spec, book) if before.small else before.recall
            since = (*(() if before.small else before.since), *applied)
            if recall is not None:
                book.again = functools.partial(from_the_source, recall, since)
            made = Stretch(book, before.dataset, before.named, before.small, steps, named).dataset()
            return Flow(made, named=named, recall=recall, since=since)
        calls = next((step.calls for step in steps if step.calls is not None), None)
        source = before.dataset
        if before.named:
            source = cheap_stages.second(source)
        made = one_by_one(self._quarantine, source, whole, again, calls, stage)
        return Flow(made, sound=before.sound)

    def _paired(self, base: Pairs) -> Flow:
        tf = library()

        flows = [self._flow(part, named=False) for part in base.parts]
        packed = tf.nest.pack_sequence_as(zipped_in(base.zipped), [flow.dataset for flow in flows])
        return Flow(tf.data.Dataset.zip(packed), small=all(flow.small for flow in flows))

    # Stages that change what flows

    def _zip(self, stage: Any, named: bool) -> Flow:
        tf = library()

        parts = tf.nest.flatten(zipped_in(stage))
        if not all(self._is_steady(unwrapped(part)) for part in parts):
            # An element that one part skips would shift it against the others: errors stay errors, and go on in step.
            self._say_less(
                "skip_bad does not change a zip whose parts could lose elements: an error in one of them ends the run."
            )
            return Flow(stage, sound=False)
        return Flow(stage, small=is_small(stage.element_spec))

    def _concatenate(self, stage: Any, named: bool) -> Flow:
        first, second = (self._flow(one, named=False) for one in concatenated_in(stage))
        return Flow(
            first.dataset.concatenate(second.dataset),
            sound=first.sound and second.sound,
            small=first.small and second.small,
        )

    def _filter(self, stage: Any, named: bool) -> Flow:

        before = self._flow(input_of(stage), named)
        keep = caller_of(predicate_of(stage))
        harmless = never_fails(predicate_of(stage))
        if not harmless:
            self._say_less(
                "skip_bad does not handle errors in a filter function: they end the run."
            )

        @as_written
        def wanted(*element: Any) -> Any:
            whole = element if isinstance(before.dataset.element_spec, tuple) else element[0]
            return keep(whole[1] if before.named else whole)

        return replace(
            before,
            dataset=before.dataset.filter(wanted),
            sound=before.sound and harmless,
        )

    def _batched(self, stage: Any, make: Callable[[Any], Any]) -> Flow:
        before = self._flow(input_of(stage), named=False)
        return Flow(
            make(before.dataset), sound=before.sound and is_fixed(before.dataset.element_spec)
        )

    def _fused(self, stage: Any) -> Flow | None:
        """Maps and the batch behind them in one, where nothing is in the way."""
        input_spec = input_of(stage).element_spec
        steps, base, places = self._steps(input_of(stage))
        applied = [step.apply for step in steps if step.apply is not None]
        in_order = self._in_order and all(step.deterministic is not False for step in steps)
        if self._inside or not applied or not in_order or not is_dense(input_spec):
            return None
        if not hasattr(stage, "rebatch"):
            return None  # TensorFlow before 2.11
        before = self._before(base)
        spec = before.dataset.element_spec[1] if before.named else before.dataset.element_spec
        if not before.sound:
            return None
        if before.small:
            redo = functools.partial(made_of, spec, applied)
        elif before.recall is not None and is_fixed(spec):
            redo = functools.partial(made_of_origin, before.recall, (*before.since, *applied))
        else:
            return None
        made = mended_batches(
            Passage(self._quarantine, written_at(places), redo),
            before.dataset,
            before.named,
            before.small,
            steps,
            constant(parameter(stage, "batch_size")),
            constant(parameter(stage, "drop_remainder")),
            parameter_or(stage, "num_parallel_calls"),
        )
        return Flow(made, sound=is_fixed(input_spec))

    def _batch(self, stage: Any, named: bool) -> Flow:
        fused = self._fused(stage) if parameter_or(stage, "deterministic", "") != "false" else None
        return fused or self._batched(
            stage,
            lambda before: before.batch(
                parameter(stage, "batch_size"),
                drop_remainder=constant(parameter(stage, "drop_remainder")),
                num_parallel_calls=parameter_or(stage, "num_parallel_calls"),
            ),
        )

    def _padded_batch(self, stage: Any, named: bool) -> Flow:
        return self._batched(
            stage,
            lambda before: before.padded_batch(
                parameter(stage, "batch_size"),
                padded_shapes=parameter(stage, "padded_shapes"),
                padding_values=parameter(stage, "padding_values"),
                drop_remainder=constant(parameter(stage, "drop_remainder")),
            ),
        )

    def _unbatch(self, stage: Any, named: bool) -> Flow:
        before = self._flow(before_unbatch(stage), named=False)
        return Flow(before.dataset.unbatch(), sound=before.sound)

    # Readers, and functions that build datasets

    def _read_records(self, stage: Any, named: bool) -> Flow:
        tf = library()

        files = self._flow(parameter(stage, "filenames"), named=False)

        @as_written
        def read(file: Any) -> Any:
            return reader(
                self._files,
                file,
                parameter(stage, "compression_type"),
                parameter(stage, "buffer_size"),
            )

        parallel = parameter(stage, "num_parallel_reads")
        if parallel is None:
            made = cheap_stages.flat_mapped(files.dataset, read)
        elif constant(parallel) == tf.data.AUTOTUNE:
            made = files.dataset.interleave(read, num_parallel_calls=parallel)
        else:
            made = files.dataset.interleave(
                read, cycle_length=parallel, num_parallel_calls=parallel
            )
        return self._records(made, named, files.sound)

    def _read_files(self, stage: Any, named: bool) -> Flow:
        """Readers of other files are made of one for each file: there it can be seen whether it is there."""
        return self._flow(readers_in(stage), named)

    def _read_file(self, stage: Any, named: bool) -> Flow:
        return Flow(if_it_opens(self._files, parameter(stage, "filenames"), stage), sound=False)

    def _records(self, made: Any, named: bool, sound: bool) -> Flow:

        if not named:
            made = cheap_stages.second(made)
        return Flow(made, named=named, sound=sound, recall=record_named)

    def _interleave(self, stage: Any, named: bool) -> Flow:
        return self._opened(
            stage,
            named,
            lambda before, build: before.interleave(
                build,
                cycle_length=parameter(stage, "cycle_length"),
                block_length=parameter(stage, "block_length"),
                num_parallel_calls=parameter_or(stage, "num_parallel_calls"),
                deterministic=ORDER.get(parameter_or(stage, "deterministic", "default")),
            ),
        )

    def _flat_map(self, stage: Any, named: bool) -> Flow:
        return self._opened(stage, named, lambda before, build: before.flat_map(build))

    def _opened(self, stage: Any, named: bool, make: Callable[[Any, Any], Any]) -> Flow:
        """Trace the function once more, and build again what it builds."""
        if makes_a_generator(stage):
            self._say_less("skip_bad does not handle errors in a generator: they end the run.")
            return Flow(stage, sound=False)
        if written_function(mapping_of(stage)) is None:
            return self._unknown(stage)
        before = self._flow(input_of(stage), named=False)
        user = autograph(written_function(mapping_of(stage)))
        inner: list[Flow] = []

        @as_written
        def build(*element: Any) -> Any:
            self._inside += 1
            flow = self._flow(user(*element), named)
            self._inside -= 1
            inner.append(flow)
            return flow.dataset

        made = make(before.dataset, build)
        return replace(inner[-1], dataset=made, sound=before.sound and inner[-1].sound)


#: How a stage is built again that changes what flows, by the way that ``stage_table`` names.
WAYS: dict[str, Callable[[Builder, Any, bool], Flow]] = {
    stage_table.ZIP: Builder._zip,
    stage_table.CONCATENATE: Builder._concatenate,
    stage_table.FILTER: Builder._filter,
    stage_table.BATCH: Builder._batch,
    stage_table.PADDED_BATCH: Builder._padded_batch,
    stage_table.UNBATCH: Builder._unbatch,
    stage_table.INTERLEAVE: Builder._interleave,
    stage_table.FLAT_MAP: Builder._flat_map,
    stage_table.RECORDS: Builder._read_records,
    stage_table.FILES: Builder._read_files,
    stage_table.FILE: Builder._read_file,
}

#: Stages that hand elements on as they are, built again on another input (the way ``same`` of ``stage_table``).
SAME: dict[str, Callable[[Any, Any], Any]] = {
    "ShuffleDataset": lambda before, stage: before.shuffle(
        parameter(stage, "buffer_size"),
        seed=seed_of(stage),
        reshuffle_each_iteration=parameter(stage, "reshuffle_each_iteration"),
    ),
    "PrefetchDataset": lambda before, stage: before.prefetch(
        constant(parameter(stage, "buffer_size"))
    ),
    "RepeatDataset": lambda before, stage: before.repeat(parameter(stage, "count")),
    "TakeDataset": lambda before, stage: before.take(parameter(stage, "count")),
    "SkipDataset": lambda before, stage: before.skip(parameter(stage, "count")),
    "ShardDataset": lambda before, stage: before.shard(
        parameter(stage, "num_shards"), parameter(stage, "index")
    ),
    "CacheDataset": lambda before, stage: before.cache(
        constant(parameter(stage, "filename")).decode()
    ),
    "OptionsDataset": lambda before, stage: before.with_options(options_set_by(stage)),
}


def way_of(stage: Any) -> str | None:
    """Give the way in which a stage is built again here; None for one that is not known."""
    return known(class_of(stage)).skipping


def follows_a_map(stage: Any) -> bool:
    """Tell whether a stage stands on a map."""
    return way_of(unwrapped(input_of(stage))) == stage_table.MAP


def is_ours(stage: Any) -> bool:
    """Whether nothing bad comes out of it already."""
    return bool(vars(stage).get(OURS))


def is_a_source(stage: Any) -> bool:
    """Whether elements begin here, and none is ever missing."""
    return way_of(stage) == stage_table.SOURCE or only_counts(stage)


def written_at(places: Sequence[Any]) -> dict[str, Any]:
    """Where the functions of maps were written, as the quarantine takes it."""
    return {"stage": " → ".join(filter(None, map(line_of, places)))}


def step_of(stage: Any) -> Step:
    """A map as a step."""
    return Step(
        caller_of(mapping_of(stage)),
        calls=parameter_or(stage, "num_parallel_calls"),
        deterministic=ORDER.get(parameter_or(stage, "deterministic", "default")),
    )


def whole_of(spec: Any, book: Book, origin: Any) -> Any:
    """An element that a book remembers."""
    return packed(spec, book.values_of(origin))
