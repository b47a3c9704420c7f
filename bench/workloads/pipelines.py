"""Six pipelines that hold much, for `bench/bound.py`: each a function that returns a dataset, so that `outlive plan` can be asked about it too.

python bench/workloads/pipelines.py peak shuffle_heavy      read it slowly, print the peak above the start
python bench/workloads/pipelines.py rate shuffle_heavy bounded 300MB  read it once for every line on stdin and print the times; without
                                                            a size, bounded to what there is
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

SIDE, WIDE_SIDE = 512, 1300
PHOTOS = 60


def picture(number: tf.Tensor, side: int = SIDE) -> tf.Tensor:
    """3 MB, with some work in it."""
    seed = tf.stack([tf.cast(number, tf.int32), 1])
    return tf.random.stateless_uniform([side, side, 3], seed)


def shuffle_heavy() -> tf.data.Dataset:
    return tf.data.Dataset.range(400).map(picture).shuffle(220).batch(4)


def prefetch_heavy() -> tf.data.Dataset:
    return tf.data.Dataset.range(400).map(picture).batch(16).prefetch(14)


def parallel_map() -> tf.data.Dataset:
    numbers = tf.data.Dataset.range(120)
    return numbers.map(lambda number: picture(number, WIDE_SIDE), num_parallel_calls=60)


def interleaved() -> tf.data.Dataset:
    def shard(number: tf.Tensor) -> tf.data.Dataset:
        return tf.data.Dataset.range(25).map(lambda inner: picture(number * 25 + inner))

    return tf.data.Dataset.range(16).interleave(shard, cycle_length=16, num_parallel_calls=2)


def cached() -> tf.data.Dataset:
    return tf.data.Dataset.range(250).map(picture).cache().batch(4)


def ragged_photos() -> tf.data.Dataset:
    names = tf.data.Dataset.list_files(f"{photos()}/*.jpg", seed=1).repeat(4)
    pictures = names.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    return pictures.shuffle(120, seed=1).padded_batch(2).prefetch(tf.data.AUTOTUNE)


def decode(name: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.io.decode_jpeg(tf.io.read_file(name), channels=3), tf.float32)


def photos() -> str:
    """Photographs of many sizes, made once."""
    folder = Path(tempfile.gettempdir()) / f"outlive-bench-photos-{os.getuid()}"
    if not (folder / "whole").exists():
        folder.mkdir(exist_ok=True)
        for number in range(PHOTOS):
            sides = (400 + 37 * number % 900, 500 + 53 * number % 800)
            pixels = tf.image.resize(picture(number, 40), sides) * 255
            (folder / f"{number}.jpg").write_bytes(
                tf.io.encode_jpeg(tf.cast(pixels, tf.uint8)).numpy()
            )
        (folder / "whole").write_text("")
    return str(folder)


PIPELINES = (shuffle_heavy, prefetch_heavy, parallel_map, interleaved, cached, ragged_photos)


def read(dataset: tf.data.Dataset, waiting: bool = False) -> int:
    """As a training loop does; with a wait after the first element until all buffers are full."""
    count = 0
    for element in dataset:
        tf.reduce_mean(element)
        if waiting and not count:
            wait_until_full()
        count += 1
    return count


def wait_until_full() -> None:
    """Until the memory has not risen for two seconds."""
    most, since = resident(), time.monotonic()
    while time.monotonic() - since < 2:
        time.sleep(0.05)
        if resident() > most + 1_000_000:
            most, since = resident(), time.monotonic()


def peak(name: str) -> None:
    dataset = globals()[name]()
    read(tf.data.Dataset.range(3).map(picture).batch(1))  # what TensorFlow needs for anything
    before = resident()
    read(dataset, waiting=True)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"program_bytes": before, "peak_bytes": most - before}))


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def rate(name: str, way: str, memory: str | None) -> None:
    """For every line on stdin two epochs, plain or bounded; a process for each way, since what `outlive.bound` tells malloc holds for all of it."""
    import outlive

    make = globals()[name]
    read(make())  # warm
    print("ready", flush=True)
    for _ in sys.stdin:
        dataset = make() if way == "plain" else outlive.bound(make(), memory)
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(2):
            read(dataset)
        print(json.dumps([time.perf_counter() - wall, time.process_time() - processor]), flush=True)
        del dataset


if __name__ == "__main__":
    if sys.argv[1] == "peak":
        peak(sys.argv[2])
    else:
        rate(sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
