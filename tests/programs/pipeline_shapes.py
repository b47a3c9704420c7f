"""Many shapes of pipelines, and many ways to read one: each plain and bounded, in one process. Prints what differed. For `test_bound`."""

from __future__ import annotations

import gc
import json
import os
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

import outlive
from outlive.inside.tfdata import interpose, room

Dataset = tf.data.Dataset
BUDGET = 1_000_000

table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([0, 1, 2, 3], [b"a", b"b", b"c", b"d"]), b"?"
)
variable = tf.Variable(3.0)
calls: list[int] = []


def large(number: tf.Tensor) -> tf.Tensor:
    return tf.fill([100, 50, 3], tf.cast(number, tf.float32))  # 60 kB


def in_python(number: tf.Tensor) -> np.ndarray:
    calls.append(int(number))
    return np.full([100, 50, 3], int(number), np.float32)


def generator() -> Iterator[np.ndarray]:
    for number in range(30):
        yield np.full([number % 5 + 1, 3], number, np.float32)


def inner(number: tf.Tensor) -> tf.data.Dataset:
    return Dataset.range(4).map(
        lambda second: tf.cast(number * 10 + second, tf.float32) + tf.zeros([50, 50])
    )


def pictures(count: int = 80) -> tf.data.Dataset:
    return Dataset.range(count).map(large)


def py_function() -> tf.data.Dataset:
    return (
        Dataset.range(30)
        .map(lambda number: tf.py_function(in_python, [number], tf.float32))
        .prefetch(25)
    )


def numpy_function() -> tf.data.Dataset:
    def shaped(number: tf.Tensor) -> tf.Tensor:
        return tf.ensure_shape(tf.numpy_function(in_python, [number], tf.float32), [100, 50, 3])

    return Dataset.range(40).map(shaped, num_parallel_calls=40).prefetch(30)


def read_twice_at_once() -> tf.data.Dataset:
    cached = pictures().cache()
    return Dataset.zip((cached, cached))


#: Those in ``MIXED`` shuffle less: the same elements in another order.
SHAPES: dict[str, Callable[[], tf.data.Dataset]] = {
    "shuffle": lambda: pictures().shuffle(70, seed=3),
    "shuffle that fits": lambda: pictures(40).shuffle(3, seed=3).prefetch(30),
    "random": lambda: pictures().map(lambda one: one + tf.random.uniform([], seed=4)).prefetch(60),
    "prefetch": lambda: pictures().batch(4).prefetch(15),
    "parallel map": lambda: Dataset.range(80).map(large, num_parallel_calls=60),
    "fused map": lambda: Dataset.range(80).map(large, num_parallel_calls=60).batch(8),
    "cache": lambda: pictures().cache().repeat(2).batch(7),
    "read twice at once": read_twice_at_once,
    "py_function": py_function,
    "numpy_function": numpy_function,
    "generator": lambda: (
        Dataset.from_generator(generator, output_signature=tf.TensorSpec([None, 3], tf.float32))
        .padded_batch(4)
        .prefetch(9)
    ),
    "lookup table": lambda: (
        Dataset.range(90)
        .map(lambda number: (table.lookup(tf.cast(number % 5, tf.int32)), large(number)))
        .prefetch(70)
    ),
    "variable": lambda: pictures().map(lambda one: one * variable, num_parallel_calls=50),
    "zip": lambda: Dataset.zip((pictures().prefetch(60), {"x": Dataset.range(80)})).prefetch(50),
    "enumerate": lambda: pictures().prefetch(70).enumerate().take(50).skip(3).shard(2, 1),
    "interleave": lambda: Dataset.range(20).interleave(
        inner, cycle_length=16, block_length=2, num_parallel_calls=8
    ),
    "tuned interleave": lambda: (
        Dataset.range(20)
        .interleave(inner, cycle_length=16, num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(200)
    ),
    "flat_map": lambda: (
        Dataset.range(20).flat_map(inner).prefetch(200).filter(lambda one: one[0, 0] > 30.0)
    ),
    "ragged": lambda: (
        Dataset.range(30)
        .map(lambda number: tf.ragged.range(tf.range(number % 4 + 2) * 3000))
        .prefetch(25)
        .map(lambda one: one + 1)
    ),
    "padded": lambda: (
        Dataset.range(60)
        .map(lambda number: tf.fill([number % 7 * 100 + 1, 50], number))
        .prefetch(50)
        .padded_batch(4)
    ),
    "sparse": lambda: (
        Dataset.range(30)
        .map(lambda number: tf.sparse.from_dense(tf.one_hot(number, 50)))
        .prefetch(30)
        .batch(3)
    ),
    "windows": lambda: pictures().prefetch(60).window(5).flat_map(lambda window: window.batch(5)),
    "buckets": lambda: (
        Dataset.range(80)
        .map(lambda number: tf.fill([number % 50 + 1, 200], number))
        .prefetch(70)
        .bucket_by_sequence_length(lambda one: tf.shape(one)[0], [10, 30], [4, 4, 4])
    ),
    "scan": lambda: (
        pictures().prefetch(60).scan(0.0, lambda state, one: (state + one[0, 0, 0], state))
    ),
    "sampled from": lambda: Dataset.sample_from_datasets(
        [pictures().prefetch(60), pictures(30)], seed=5
    ),
    "slices": lambda: (
        Dataset.from_tensor_slices(np.arange(600_000, dtype=np.float32).reshape(40, 50, 300))
        .batch(2)
        .prefetch(18)
    ),
    "unbatch": lambda: pictures().batch(10).unbatch().prefetch(60),
    "options": lambda: pictures().prefetch(60).with_options(tf.data.Options()),
    "parallel batch": lambda: pictures().prefetch(60).batch(3, num_parallel_calls=2),
    "errors ignored": lambda: pictures().prefetch(60).ignore_errors(),
}
MIXED = ("shuffle",)


def flat(element: Any) -> bytes:
    parts = tf.nest.flatten(element, expand_composites=True)
    return b"|".join(tf.io.serialize_tensor(part).numpy() for part in parts)


def epochs(make: Callable[[], tf.data.Dataset], act: Callable[[Any], Any]) -> list[list[bytes]]:
    """Two, as training does: what is kept between them counts as well."""
    tf.random.set_seed(7)
    dataset = act(make())
    return [[flat(element) for element in dataset] for _ in range(2)]


def shared_stages() -> list[int]:
    """What is built on a stage that was replaced before must be read on what stands in for it. All elements, in two ways, and how many are new."""
    made = []

    def noted(number: np.ndarray) -> np.float32:
        made.append(int(number))
        return np.float32(number)

    def picture(number: tf.Tensor) -> tf.Tensor:
        value = tf.numpy_function(noted, [number], tf.float32)
        return large(tf.ensure_shape(value, []))

    cached = Dataset.range(50).map(picture).cache()
    first = len(list(outlive.bound(cached, BUDGET)))
    second = len(list(outlive.bound(cached.batch(10), BUDGET)))
    return [first, second, len(made)]


def cache_on_a_disk() -> list[int]:
    """Two readers at the same time, and one that has stopped early and is still there: each sees all elements, and so does everybody later."""
    bounded = outlive.bound(pictures(50).cache(), BUDGET)
    stopped = iter(bounded)
    next(stopped)
    pairs = [int(one[0, 0, 0] + two[0, 0, 0]) for one, two in zip(bounded, bounded, strict=True)]
    return [sum(pairs), sum(int(one[0, 0, 0]) for one in bounded)]


def left_behind() -> list[bool]:
    """Whether a dataset stays when nobody has it any more, fitted and as it was: what it caches would stay with it."""
    gc.disable()
    alive = []
    for budget in (BUDGET, 1_000_000_000):
        made = pictures(20).cache().prefetch(18)
        known = weakref.ref(made)
        for _ in outlive.bound(made, budget):
            pass
        del made
        alive.append(known() is not None)
    gc.enable()
    return alive


def differing_shapes() -> list[str]:
    different = []
    for name, make in SHAPES.items():
        plain = epochs(make, lambda dataset: dataset)
        bounded = epochs(make, lambda dataset: outlive.bound(dataset, BUDGET))
        if name in MIXED:
            plain, bounded = [sorted(one) for one in plain], [sorted(one) for one in bounded]
        if plain != bounded:
            different.append(name)
    return different


# The ways to read one, under the hooks of `outlive run --bound`.

COUNT = 40


def deep() -> tf.data.Dataset:
    return pictures(COUNT).prefetch(30)


def eagerly() -> float:
    return sum(float(one[0, 0, 0]) for one in deep())


def by_reduce() -> float:
    return float(deep().reduce(0.0, lambda total, one: total + one[0, 0, 0]))


def as_numpy() -> float:
    return float(sum(one[0, 0, 0] for one in deep().as_numpy_iterator()))


def in_a_function() -> float:
    dataset = deep()

    @tf.function
    def loop() -> tf.Tensor:
        total = 0.0
        for one in dataset:
            total += one[0, 0, 0]
        return total

    return float(loop())


def as_an_argument() -> float:
    @tf.function
    def loop(dataset: tf.data.Dataset) -> tf.Tensor:
        total = 0.0
        for one in dataset:
            total += one[0, 0, 0]
        return total

    return float(loop(deep()))


def built_in_a_function() -> float:
    @tf.function
    def loop() -> tf.Tensor:
        total = 0.0
        for one in deep():
            total += one[0, 0, 0]
        return total

    return float(loop())


def by_a_strategy() -> float:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    shared = strategy.experimental_distribute_dataset(deep().batch(2))
    return float(sum(tf.reduce_sum(one[:, 0, 0, 0]) for one in shared))


def by_keras() -> float:
    model = keras.Sequential(
        [keras.layers.Input((100, 50, 3)), keras.layers.GlobalAveragePooling2D()]
    )
    return float(model.predict(deep().batch(4), verbose=0)[:, 0].sum())


WAYS = (
    eagerly, by_reduce, as_numpy, in_a_function, as_an_argument,
    built_in_a_function, by_a_strategy, by_keras,
)  # fmt: skip


def install(said: list[str]) -> interpose.Switch:
    """As the recorder does, in a program that has so little memory."""
    room.room_for_pipelines = lambda: BUDGET
    made = interpose.Switch(said.append, lambda stage: None, [])
    for name, act in made.after_import().items():
        act(sys.modules[name])
    # registered before the hook was there
    control_flow = sys.modules["tensorflow.python.autograph.operators.control_flow"]
    loops = sys.modules["tensorflow.python.data.ops.dataset_autograph"]
    control_flow.for_loop_registry._registry[tf.data.Dataset] = loops._tf_ag_dataset_for_stmt
    return made


def main() -> None:
    said: list[str] = []
    found: dict[str, Any] = {"different": differing_shapes(), "python calls": len(calls)}
    found["shared stages"] = shared_stages()
    found["left behind"] = left_behind()
    found["cache on a disk"] = cache_on_a_disk()
    made = install(said)
    for way in WAYS:
        said.clear()
        made._said.clear()  # it says everything once
        found[way.__name__] = [way(), list(said)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
