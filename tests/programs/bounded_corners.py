"""Pipelines as people write them that were met wrongly once: each bare and bounded, with what was said. The result is one line of JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf

import outlive
from outlive.inside.tfdata.interpose import Switch

Dataset = tf.data.Dataset
FOLDER = sys.argv[1]
RECORDS = os.path.join(FOLDER, "records")
ELEMENT = 100_000


def wide(number: Any) -> Any:
    return tf.fill([ELEMENT // 4], tf.cast(number, tf.float32))


def generated() -> Any:
    for number in range(12):
        yield [float(number)] * (ELEMENT // 4)


def one_line() -> Any:
    return Dataset.range(30).map(wide).shuffle(30, seed=1).prefetch(20)


def records() -> Any:
    files = Dataset.from_tensor_slices([RECORDS, RECORDS]).interleave(tf.data.TFRecordDataset)
    return files.map(lambda one: tf.io.decode_raw(one, tf.uint8)).cache().shuffle(20, seed=1)


def filtered() -> Any:
    return Dataset.range(30).filter(lambda number: number % 2 == 0).map(wide).cache()


def padded() -> Any:
    ragged = Dataset.range(12).map(lambda number: tf.ones([10_000 + 100 * number]))
    return ragged.padded_batch(2, padded_shapes=[ELEMENT // 4]).prefetch(6)


def unlabelled() -> Any:
    return Dataset.range(30).map(lambda number: (wide(number), None)).shuffle(20, seed=1)


def of_generator() -> Any:
    spec = tf.TensorSpec((ELEMENT // 4,))
    return Dataset.from_generator(generated, output_signature=spec).batch(2).prefetch(6)


CASES: dict[str, tuple[Callable[[], Any], int]] = {
    "one line": (one_line, 1_000_000),
    "records that fit": (records, 100_000_000),
    "records": (records, 1_000_000),
    "filtered": (filtered, 6_000_000),
    "padded to a told side": (padded, 1_000_000),
    "without a label": (unlabelled, 1_000_000),
    "batches of a generator": (of_generator, 1_000_000),
}


def first_numbers(dataset: Any) -> list[float]:
    return sorted(float(tf.reshape(tf.nest.flatten(one)[0], [-1])[0]) for one in dataset)


def built_on_a_cache_in_a_file() -> list[int]:
    """Elements of everything that is built on a dataset that was bounded: beside itself, while others read, and later."""
    bounded = outlive.bound(Dataset.range(30).map(wide).cache(), 1_000_000)
    pairs = len(list(Dataset.zip((bounded, bounded.skip(1)))))
    bounded = outlive.bound(Dataset.range(30).map(wide).cache(), 1_000_000)
    batches = bounded.batch(10)
    first, second = iter(batches), iter(batches)
    beside = sum(len(next(first)) + len(next(second)) for _ in range(3))
    total = tf.function(lambda given: given.reduce(0, lambda so_far, one: so_far + 1))
    return [pairs, beside, len(list(batches)), int(total(batches)), len(list(bounded))]


def main() -> None:
    os.makedirs(FOLDER)
    with tf.io.TFRecordWriter(RECORDS) as writer:
        for number in range(30):
            writer.write(bytes([number]) * ELEMENT)
    said: dict[str, list[str]] = {}
    different = []
    for name, (make, budget) in CASES.items():
        told = said[name] = []
        switch = Switch(told.append, lambda stage: ("here.py", 1), [FOLDER])
        bounded = switch.lasting(make(), budget)
        if first_numbers(make()) != first_numbers(bounded):
            different.append(name)
    built_on = built_on_a_cache_in_a_file()
    print(json.dumps({"said": said, "different": different, "built on": built_on}))


if __name__ == "__main__":
    main()
