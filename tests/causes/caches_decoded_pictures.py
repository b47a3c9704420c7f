"""A cache after the decoding, of everything."""
# expect: cache-in-memory LIKELY
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import tensorflow as tf


class Loader:
    def load(self, number: tf.Tensor) -> tf.Tensor:
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
