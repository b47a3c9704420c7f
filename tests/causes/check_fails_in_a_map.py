"""A CHECK that fails in tf.data's own threads, while the main thread waits for the next element."""
# expect: tf-check-failed PROVEN
# ending: SIGABRT
# needs: tensorflow

import tensorflow as tf


def pipeline(height: int) -> tf.data.Dataset:
    pictures = tf.data.Dataset.from_tensors(tf.zeros([height, 4, 3], tf.uint8)).repeat(3)
    return pictures.map(tf.io.encode_png, num_parallel_calls=2)  # <- here


def die() -> None:
    for png in pipeline(0):
        print(len(png.numpy()))


def spare() -> None:
    for png in pipeline(4):
        print(len(png.numpy()))
