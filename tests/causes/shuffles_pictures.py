"""The shuffle buffer holds decoded pictures, as many as there are."""
# expect: shuffle-buffer-too-large PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import time

import tensorflow as tf


def read(number: int) -> int:
    time.sleep(0.02)  # the disk is slow
    return number


def picture(number: tf.Tensor) -> tf.Tensor:
    number = tf.numpy_function(read, [number], tf.int64)
    return tf.fill([512, 512, 3], tf.cast(number, tf.float32))


def pipeline(count: int) -> tf.data.Dataset:
    numbers = tf.data.Dataset.range(count)
    pictures = numbers.map(picture)
    return pictures.shuffle(count)  # <- here


def run(count: int) -> None:
    total = 0.0
    for picture in pipeline(count):
        total += float(tf.reduce_sum(picture))
    print(total)


def die() -> None:
    run(1500)


def spare() -> None:
    run(5)
