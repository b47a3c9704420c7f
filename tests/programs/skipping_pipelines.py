"""Pipelines with bad elements, each gone through with `outlive.skip_bad`: what came out and what was named, as JSON."""

from __future__ import annotations

import io
import itertools
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

import outlive
from outlive.data.formats.tfrecords import records

COUNT = 200
BAD = (5, 6, 100, COUNT - 1)
AUTO = tf.data.AUTOTUNE


def make_pictures() -> list[str]:
    good = tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8)).numpy()
    paths = [f"{number}.jpg" for number in range(COUNT)]
    for number, path in enumerate(paths):
        Path(path).write_bytes((b"" if number % 2 else good[:50]) if number in BAD else good)
    return paths


def example(number: int) -> bytes:
    value = tf.train.Int64List(value=[number])
    features = {"number": tf.train.Feature(int64_list=value)}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def make_records() -> list[str]:
    """Three files of a hundred: a bit flipped in the data, one in a length, a record that is no Example, a file cut off."""
    files = ["a.tfrecord", "b.tfrecord", "c.tfrecord"]
    for place, file in enumerate(files):
        with tf.io.TFRecordWriter(file) as writer:
            for number in range(100 * place, 100 * place + 100):
                writer.write(b"\xff\xff\xff" if number == 150 else example(number))
    for file, record, byte in (
        ("a.tfrecord", 10, 14),
        ("a.tfrecord", 40, 1),
        ("b.tfrecord", 0, 14),
    ):
        data = bytearray(Path(file).read_bytes())
        at = [one.offset for one in records(bytes(data))][record]
        data[at + byte] ^= 4
        Path(file).write_bytes(bytes(data))
    Path("c.tfrecord").write_bytes(Path("c.tfrecord").read_bytes()[:-5])
    return files


def load(path: Any, label: Any) -> Any:
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3), label


def parse(record: Any) -> Any:
    return tf.io.parse_single_example(record, {"number": tf.io.FixedLenFeature([], tf.int64)})[
        "number"
    ]


def pipelines(paths: list[str], files: list[str]) -> dict[str, Any]:
    pairs = tf.data.Dataset.from_tensor_slices((paths, list(range(COUNT))))
    names = tf.data.Dataset.from_tensor_slices(paths)
    pictures = names.map(lambda path: tf.io.decode_jpeg(tf.io.read_file(path)), AUTO)
    numbers = tf.data.Dataset.range(COUNT)
    signature = (tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64))
    several = tf.data.Dataset.from_tensor_slices([*files, "none.tfrecord"])
    return {
        "one by one": pairs.map(load),
        "in a batch": pairs.map(load, AUTO).batch(32).prefetch(2),
        "shuffled, in any order": pairs.shuffle(50).map(load, AUTO, deterministic=False).batch(16),
        "read, shuffled, decoded": pairs.map(lambda path, label: (tf.io.read_file(path), label))
        .shuffle(50)
        .map(lambda data, label: (tf.io.decode_jpeg(data), label), AUTO)
        .batch(16),
        "zipped": tf.data.Dataset.zip((pictures.prefetch(2), numbers)).shuffle(20).batch(8),
        "of a generator": tf.data.Dataset.from_generator(
            lambda: zip(paths, range(COUNT), strict=True), output_signature=signature
        )
        .map(load, AUTO)
        .batch(32),
        "filtered, twice": pairs.filter(lambda path, label: label >= 0)
        .map(load, AUTO)
        .repeat(2)
        .batch(32)
        .map(lambda picture, label: (tf.cast(picture, tf.float32), label)),
        "records": tf.data.TFRecordDataset(files).map(parse).batch(32),
        "records shuffled": tf.data.TFRecordDataset(files).shuffle(100).map(parse, AUTO),
        "records interleaved": several.interleave(
            tf.data.TFRecordDataset, cycle_length=3, num_parallel_calls=AUTO
        )
        .map(parse, AUTO)
        .batch(32)
        .prefetch(1),
        "records parsed inside": tf.data.Dataset.from_tensor_slices(files).interleave(
            lambda file: tf.data.TFRecordDataset(file).map(parse), cycle_length=2
        ),
    }


def go_through(name: str, dataset: Any, at_most: int = 1000) -> dict[str, Any]:
    log = f"{name}.jsonl"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        skipping = outlive.skip_bad(dataset, log=log, at_most=at_most)
    values: list[int] = []
    error = ""
    try:
        for element in skipping:
            last = element[-1] if isinstance(element, tuple) else element
            values += np.atleast_1d(last.numpy()).tolist()
    except Exception as raised:
        error = str(raised)
    named = (
        [json.loads(line) for line in Path(log).read_text().splitlines()]
        if Path(log).exists()
        else []
    )
    unreached = [str(one.message) for one in said if one.category is outlive.SkipsLess]
    return {"values": values, "named": named, "error": error, "unreached": unreached}


def refuse(number: Any) -> Any:
    """Fails for the bad ones."""
    bad = tf.reduce_any(tf.equal(number, tf.constant(BAD, tf.int64)))
    with tf.control_dependencies([tf.debugging.assert_equal(bad, False, "a bad one")]):
        return tf.identity(number)


def oddities() -> dict[str, Any]:
    """Pipelines of which each has tripped a way to skip: numbers in, numbers out."""
    numbers = tf.data.Dataset.range(COUNT)
    sliced = tf.data.Dataset.from_tensor_slices(np.arange(COUNT)[:, None] * np.ones([1, 40], int))
    in_any_order = tf.data.Options()
    in_any_order.deterministic = False
    return {
        "one batch": numbers.map(refuse, AUTO).batch(2 * COUNT),
        "the last batch only": numbers.map(refuse, AUTO).batch(COUNT - 1),
        "no remainder": numbers.map(refuse, AUTO).batch(14, drop_remainder=True),
        "in any order": numbers.map(refuse, AUTO).batch(8).with_options(in_any_order),
        "shapes differ": numbers.map(lambda n: (tf.zeros([n % 3 + 1]), refuse(n)), AUTO)
        .shuffle(20)
        .map(lambda zeros, n: (tf.reduce_sum(zeros), n))
        .batch(8),
        "large": sliced.map(lambda row: refuse(row[0]), AUTO).batch(8),
        "nothing in it": numbers.map(lambda n: (None, refuse(n)), AUTO).batch(8),
        "shape unknown": numbers.map(
            lambda n: tf.numpy_function(lambda n: n, [refuse(n)], tf.int64), AUTO
        ).batch(8),
        "batches inside": tf.data.Dataset.range(10).interleave(
            lambda ten: tf.data.Dataset.range(20 * ten, 20 * ten + 20).map(refuse).batch(3)
        ),
        "enumerated": numbers.map(refuse, AUTO).enumerate().map(lambda place, n: n).batch(8),
        "unbatched": numbers.map(refuse).batch(8).unbatch().batch(3),
        "twice": outlive.skip_bad(numbers.map(refuse, AUTO).batch(8), log="first.jsonl").map(
            lambda batch: batch + 0
        ),
    }


def lines(paths: list[str]) -> dict[str, Any]:
    """Text files, of which one is not there."""
    for path in ("first.txt", "last.txt"):
        Path(path).write_text("".join(f"{number}\n" for number in range(3)))
    files = ["first.txt", "none.txt", "last.txt"]
    return {
        "lines": tf.data.TextLineDataset(files).map(tf.strings.to_number).batch(2),
        "lines interleaved": tf.data.Dataset.from_tensor_slices(files)
        .interleave(tf.data.TextLineDataset, num_parallel_calls=AUTO)
        .map(tf.strings.to_number),
        "no such picture": tf.data.Dataset.from_tensor_slices(([paths[0], "none.jpg"], [0, 1])).map(
            load
        ),
        "shapes unlike": tf.data.Dataset.range(4)
        .map(lambda n: tf.fill([tf.where(n == 2, 5, 4)], n))
        .batch(4),
    }


def given_up(paths: list[str]) -> str:
    """Read in part, by an iterator that nobody ends; what it skipped is named when the program ends."""
    data = tf.data.Dataset.from_tensor_slices((paths, list(range(COUNT))))
    data = outlive.skip_bad(data.map(load, AUTO).shuffle(2), log="given up.jsonl")
    for _, label in data:
        if int(label) > BAD[2]:
            break
    return os.path.abspath("given up.jsonl")


def several(paths: list[str]) -> int:
    """Two datasets of the same pictures, and one log."""
    pairs = tf.data.Dataset.from_tensor_slices((paths, list(range(COUNT)))).map(load, AUTO)
    for dataset in (pairs.batch(8), pairs.batch(9)):
        for _ in outlive.skip_bad(dataset, log="several.jsonl"):
            pass
    return len(Path("several.jsonl").read_text().splitlines())


def side_by_side() -> dict[str, Any]:
    """Three iterators of one dataset, in turn, of which each has its own order."""
    data = tf.data.Dataset.range(COUNT).shuffle(COUNT).map(refuse, AUTO).batch(8)
    given = zip(*[outlive.skip_bad(data, log="side.jsonl")] * 3, strict=True)
    columns = zip(
        *([batch.numpy().tolist() for batch in batches] for batches in given), strict=True
    )
    columns = [list(column) for column in columns]
    return {
        "sizes": sorted({len(batch) for column in columns for batch in column[:-1]}),
        "values": [sorted(itertools.chain.from_iterable(column)) for column in columns],
        "named": len(Path("side.jsonl").read_text().splitlines()),
    }


def train(paths: list[str]) -> dict[str, Any]:
    """Keras goes through it, and its callback saves when memory is said to be near the limit."""
    import keras

    labelled = tf.data.Dataset.from_tensor_slices((paths, [0.0] * COUNT)).map(load, AUTO).batch(64)
    data = outlive.skip_bad(labelled, log="fit.jsonl")
    model = keras.Sequential(
        [keras.Input((8, 8, 3)), keras.layers.Flatten(), keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    pressed = outlive.PressureCallback(checkpoint="last.keras", at=1e-6)
    told = keras.callbacks.LambdaCallback(
        on_train_batch_begin=lambda batch, logs: wait_for(pressed)
    )
    model.fit(data, epochs=1, verbose=0, callbacks=[told, pressed])
    predict = outlive.adaptive(model.predict, 128, key="predict")
    given = predict(np.zeros([300, 8, 8, 3], "float32"), verbose=0)
    return {
        "named": len(Path("fit.jsonl").read_text().splitlines()),
        "saved": Path("last.keras").exists(),
        "predicted": list(given.shape),
    }


def handed_over(paths: list[str]) -> dict[str, Any]:
    """Read by a ``tf.function`` and by a strategy, without a change of the program, as after a death under `outlive run --heal`."""
    from outlive.inside.tfdata.load_skipping import load as load_skipping

    data = tf.data.Dataset.from_tensor_slices((paths, list(range(COUNT)))).map(load, AUTO).batch(8)
    for module, act in load_skipping("handed over.jsonl").items():
        act(sys.modules[module])
    # TensorFlow took its loops when it was imported; in a program that is healed they are met before.
    loops = sys.modules["tensorflow.python.data.ops.dataset_autograph"]
    control_flow = sys.modules["tensorflow.python.autograph.operators.control_flow"]
    control_flow.for_loop_registry._registry[tf.data.Dataset] = loops._tf_ag_dataset_for_stmt

    @tf.function
    def by_argument(given: Any) -> Any:
        count = tf.constant(0)
        for _, label in given:
            count += tf.size(label)
        return count

    @tf.function
    def by_closure() -> Any:
        count = tf.constant(0)
        for _, label in data:
            count += tf.size(label)
        return count

    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    distributed = strategy.experimental_distribute_dataset(data)
    return {
        "by argument": [int(by_argument(data)) for _ in range(2)],
        "by closure": [int(by_closure()) for _ in range(2)],
        "by a strategy": [sum(int(tf.size(label)) for _, label in distributed)],
        "named": len(Path("handed over.jsonl").read_text().splitlines()),
    }


def wait_for(pressed: Any) -> None:
    import time

    until = time.monotonic() + 20
    while pressed.crossings == 0 and pressed._now is None and time.monotonic() < until:
        time.sleep(0.01)


def main() -> None:
    os.chdir(sys.argv[1])
    paths, files = make_pictures(), make_records()
    found = {name: go_through(name, one) for name, one in pipelines(paths, files).items()}
    pairs = tf.data.Dataset.from_tensor_slices((paths, list(range(COUNT))))
    found["too many"] = go_through("too many", pairs.map(load).batch(4), at_most=2)
    clean = pairs.take(5).map(load)
    found["clean"] = go_through("clean", clean)
    windows = pairs.map(load).window(3).flat_map(lambda picture, label: label.batch(3))
    found["unknown stage"] = go_through("unknown stage", windows)
    for name, odd in oddities().items():
        found[name] = go_through(name, odd)
    found["all bad"] = go_through("all bad", tf.data.Dataset.range(5, 7).map(refuse, AUTO).batch(8))
    endless = tf.data.Dataset.range(5, 7).repeat().map(lambda n: refuse(n), AUTO).batch(512)
    found["endless"] = go_through("endless", endless, at_most=1)
    found["side by side"] = side_by_side()
    for name, one in lines(paths).items():
        found[name] = go_through(name, one)
    found["given up"] = given_up(paths)
    found["several"] = several(paths)
    found["fit"] = train(paths)
    found["handed over"] = handed_over(paths)  # last: it changes TensorFlow for the rest
    print(json.dumps(found))


if __name__ == "__main__":
    sys.stderr = io.StringIO()  # Keras and the decoders talk
    main()
