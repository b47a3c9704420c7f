"""Asks the adapters for every private part, of real objects of the installed TensorFlow; writes what it found as JSON."""

from __future__ import annotations

import json
import sys
import warnings

import tensorflow as tf

from outlive.inside.notes import tf_private as recorded
from outlive.inside.tfdata import stage_table, tf_private
from outlive.inside.tfdata.rebuild_stage import SPECIAL, Rebuilt, can_rebuild, rebuild

numbers = tf.data.Dataset.range(8)
words = tf.data.Dataset.from_tensor_slices(["a.txt", "b.txt"])


def classes_of_tensorflow() -> set[str]:
    """The names of all classes of datasets. Most are loaded when one is made for the first time."""
    one_of_each()
    made = [tf.data.Dataset.from_tensors(1), tf.data.Dataset.random(1), numbers.ignore_errors()]
    found, waiting = {type(one).__name__.lstrip("_") for one in made}, [tf.data.Dataset]
    while waiting:
        kind = waiting.pop()
        found.add(kind.__name__.lstrip("_"))
        waiting += kind.__subclasses__()
    return found


def one_of_each() -> dict[str, tf.data.Dataset]:
    """A dataset that ends in each stage that has an operation."""
    dense = numbers.batch(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "ShuffleDataset": numbers.shuffle(4, seed=3),
            "PrefetchDataset": numbers.prefetch(2),
            "CacheDataset": numbers.cache(),
            "MapDataset": numbers.map(lambda one: one + 1),
            "ParallelMapDataset": numbers.map(lambda one: one + 1, num_parallel_calls=2),
            "InterleaveDataset": numbers.interleave(tf.data.Dataset.range, cycle_length=2),
            "ParallelInterleaveDataset": numbers.interleave(
                tf.data.Dataset.range, cycle_length=2, num_parallel_calls=2
            ),
            "FlatMapDataset": numbers.flat_map(tf.data.Dataset.range),
            "FilterDataset": numbers.filter(lambda one: one > 2),
            "BatchDataset": numbers.batch(3),
            "ParallelBatchDataset": numbers.batch(3, num_parallel_calls=2),
            "PaddedBatchDataset": dense.padded_batch(2),
            "UnbatchDataset": dense.unbatch(),
            "WindowDataset": numbers.window(2),
            "RepeatDataset": numbers.repeat(2),
            "TakeDataset": numbers.take(3),
            "SkipDataset": numbers.skip(3),
            "ShardDataset": numbers.shard(2, 1),
            "OptionsDataset": numbers.with_options(tf.data.Options()),
            "ZipDataset": tf.data.Dataset.zip((numbers, numbers)),
            "ConcatenateDataset": numbers.concatenate(numbers),
        }


def values_of(dataset: tf.data.Dataset) -> list[str]:
    """The elements as texts; of a window, what is in it."""
    return [
        str([int(inner) for inner in one]) if isinstance(one, tf.data.Dataset) else repr(one)
        for one in dataset
    ]


def built_again() -> dict[str, str]:
    """Of each stage: that it is the class that it should be, and whether its twin gives the same."""
    found = {}
    for name, dataset in one_of_each().items():
        before = values_of(dataset)
        twin = rebuild(dataset, tf_private.inputs_of(dataset), Rebuilt())
        known = tf_private.class_of(dataset) == name and can_rebuild(dataset)
        found[name] = "the same" if known and values_of(twin) == before else "another"
    return found


def missing_from(function: object, *given: object) -> str:
    """The name of the error that a part raises where there is none."""
    try:
        function(*given)  # type: ignore[operator]
    except Exception as error:
        return type(error).__name__
    return ""


def recorded_parts() -> dict[str, object]:
    """What the recorder reads."""

    @tf.function
    def traced(value: object) -> object:
        return value

    traced(1)
    traced(2)
    iterator = iter(numbers.prefetch(2))
    next(iterator)
    tape = tf.GradientTape(persistent=True)
    with tape:
        recording = recorded.is_recording(tape), recorded.has_recorded(tape)
    text = tf.data.TextLineDataset(["a.txt"])
    return {
        "holds": [recorded.holds(one_of_each()[name])[0] for name in recorded.HOLDING],
        "inputs": recorded.inputs_of(numbers.batch(2)) == [numbers],
        "input": recorded.input_of(numbers.batch(2)) is numbers,
        "batch": int(recorded.batch_size_of(numbers.batch(2))),
        "tensors": [len(recorded.tensors_in(words)), len(recorded.tensors_in(numbers))],
        "files": recorded.file_names_in(text) is not None,
        "dataset": recorded.dataset_of(iterator) is not None,
        "of NumPy": recorded.dataset_of(numbers.as_numpy_iterator()) is not None,
        "context": recorded.running_context() is not None,
        "allocated": recorded.allocated_bytes() is None or recorded.allocated_bytes() >= 0,
        "handle": recorded.iterator_handle(iterator).device.startswith("/job:localhost/"),
        "signatures": len(recorded.signatures_of(traced)),
        "bound": recorded.bound_functions(traced),
        "graph": tf.compat.v1.get_default_graph() is recorded.default_graph(),
        "tape": [recorded.is_persistent(tape), *recording, recorded.is_recording(tape)],
        "elements": recorded.number_of_elements(tf.zeros([2, 3])),
        "sides": list(recorded.sides_of(tf.TensorShape([2, None]))),
        "modules": [
            name
            for name in vars(recorded).values()
            if isinstance(name, str)
            and name.startswith("tensorflow.python")
            and name not in sys.modules
        ],
    }


def missing_parts() -> dict[str, str]:
    """What happens with an object that has none of it."""
    nothing = object()
    return {
        "recorder": repr(
            [recorded.input_of(nothing), recorded.tensors_in(nothing), recorded.holds(nothing)]
        ),
        "handle": missing_from(tf_private.handle_of, nothing),
        "parameter": missing_from(tf_private.parameter, nothing, "buffer_size"),
        "unlisted": missing_from(tf_private.parameter, nothing, "no_such_thing"),
        "graph": missing_from(tf_private.graph_of, nothing),
    }


print(
    json.dumps(
        {
            "version": tf.__version__,
            "unknown classes": sorted(set(stage_table.STAGES) - classes_of_tensorflow()),
            "without operation": [
                row.operation
                for row in stage_table.STAGES.values()
                if row.operation and not hasattr(tf.raw_ops, row.operation)
            ],
            "special": sorted(
                set(SPECIAL) - {row.operation for row in stage_table.STAGES.values()}
            ),
            "built": built_again(),
            "recorded": recorded_parts(),
            "missing": missing_parts(),
        }
    )
)
