"""Sixty-four large pictures in the making at once, with a slow consumer."""
# expect: parallel-map-too-wide PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import time

import tensorflow as tf


def read(number: int) -> int:
    time.sleep(0.1)  # the disk is slow, but not so slow as the model
    return number


def enlarge(number: tf.Tensor) -> tf.Tensor:
    number = tf.numpy_function(read, [number], tf.int64)
    return tf.random.stateless_uniform([1200, 1200, 3], [tf.cast(number, tf.int32), 2])


def pipeline(count: int) -> tf.data.Dataset:
    numbers = tf.data.Dataset.range(count)
    return numbers.map(enlarge, num_parallel_calls=64 if count > 10 else 2)  # <- here


def run(count: int) -> None:
    total = 0.0
    for picture in pipeline(count):
        total += float(tf.reduce_sum(picture))
        time.sleep(0.5)  # the model is slower than the pipeline
    print(total)


def die() -> None:
    run(500)


def spare() -> None:
    run(5)
