"""A cache after the decoding, of everything."""
# expect: cache-in-memory PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import time

import tensorflow as tf


class Loader:
    def read(self, number: int) -> int:
        time.sleep(0.02)  # the disk is slow
        return number

    def load(self, number: tf.Tensor) -> tf.Tensor:
        number = tf.numpy_function(self.read, [number], tf.int64)
        return tf.random.stateless_uniform([600, 600, 3], [tf.cast(number, tf.int32), 1])

    def data(self, count: int) -> tf.data.Dataset:
        return tf.data.Dataset.range(count).map(self.load).cache()  # <- here


def pipeline(count: int) -> tf.data.Dataset:
    return Loader().data(count)


def run(count: int) -> None:
    total = 0.0
    for picture in pipeline(count):
        total += float(tf.reduce_sum(picture))
    print(total)


def die() -> None:
    run(1500)


def spare() -> None:
    run(5)
