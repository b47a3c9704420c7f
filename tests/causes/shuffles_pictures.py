"""The shuffle buffer holds decoded pictures, as many as there are."""
# expect: shuffle-buffer-too-large PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import tensorflow as tf


def picture(number: tf.Tensor) -> tf.Tensor:
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
