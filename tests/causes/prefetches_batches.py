"""A slow consumer behind a deep prefetch of whole batches."""
# expect: prefetch-too-deep LIKELY
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import time

import tensorflow as tf


def pipeline(count: int) -> tf.data.Dataset:
    batches = tf.data.Dataset.range(count).map(lambda number: tf.zeros([256, 256, 3])).batch(32)
    return batches.prefetch(200 if count > 1000 else 2)  # <- here


def run(count: int) -> None:
    total = 0.0
    for picture in pipeline(count):
        total += float(tf.reduce_sum(picture))
        time.sleep(0.1)  # the model is slower than the pipeline
    print(total)


def die() -> None:
    run(64000)


def spare() -> None:
    run(64)
