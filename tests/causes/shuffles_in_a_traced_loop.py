"""The loop over the pipeline is traced: nobody in Python can ask what its shuffle buffer holds."""
# expect: shuffle-buffer-too-large LIKELY
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import tensorflow as tf


def picture(number: tf.Tensor) -> tf.Tensor:
    return tf.fill([512, 512, 3], tf.cast(number, tf.float32))


def pictures(count: int) -> tf.data.Dataset:
    return tf.data.Dataset.range(count).map(picture).shuffle(count)  # <- here


@tf.function
def brightness(data: tf.data.Dataset) -> tf.Tensor:
    total = tf.constant(0.0)
    for one in data:
        total += tf.reduce_mean(one)
    return total


def die() -> None:
    print(brightness(pictures(1500)).numpy())


def spare() -> None:
    print(brightness(pictures(5)).numpy())
