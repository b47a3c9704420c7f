"""A slow consumer behind a deep prefetch of whole batches."""
# expect: prefetch-too-deep PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import time

import tensorflow as tf


def read(number: int) -> int:
    time.sleep(0.003)  # the disk is slow, but not so slow as the model
    return number


def picture(number: tf.Tensor) -> tf.Tensor:
    number = tf.numpy_function(read, [number], tf.int64)
    return tf.fill([256, 256, 3], tf.cast(number, tf.float32))


def pipeline(count: int) -> tf.data.Dataset:
    batches = tf.data.Dataset.range(count).map(picture).batch(32)
    return batches.prefetch(200 if count > 1000 else 2)  # <- here


def run(count: int) -> None:
    total = 0.0
    for picture in pipeline(count):
        total += float(tf.reduce_sum(picture))
        time.sleep(0.5)  # the model is slower than the pipeline
    print(total)


def die() -> None:
    run(64000)


def spare() -> None:
    run(64)
