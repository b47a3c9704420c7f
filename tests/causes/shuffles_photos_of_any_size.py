"""Photos of different sizes in a shuffle buffer: nothing but the pipeline itself knows how large one is."""
# expect: shuffle-buffer-too-large PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import time

import tensorflow as tf


class Photos:
    def __init__(self, count: int) -> None:
        self.count = count

    def developed(self) -> tf.Tensor:
        time.sleep(0.02)  # the disk is slow
        return tf.io.encode_jpeg(tf.zeros([640, 480, 3], tf.uint8))

    def photo(self, number: tf.Tensor) -> tf.Tensor:
        encoded = tf.py_function(self.developed, [], tf.string)
        return tf.cast(tf.io.decode_jpeg(encoded), tf.float32) / 255.0

    def batches(self) -> tf.data.Dataset:
        data = tf.data.Dataset.range(self.count).map(self.photo, num_parallel_calls=2)
        data = data.shuffle(10_000, reshuffle_each_iteration=True)  # <- here
        return data.padded_batch(4, padded_shapes=[None, None, None])


def run(count: int) -> None:
    for batch in Photos(count).batches():
        print(tf.reduce_max(batch).numpy())


def die() -> None:
    run(3000)


def spare() -> None:
    run(5)
