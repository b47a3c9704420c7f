"""A pooling window larger than the map: a real TensorFlow kernel divides by zero."""
# expect: division-in-op PROVEN
# ending: SIGFPE
# needs: tensorflow

import os

# The kernel is oneDNN's, which TensorFlow turns on by itself only for newer processors.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"

import tensorflow as tf


class Pool:
    def __init__(self, window: int) -> None:
        self.window = window

    def __call__(self, picture: tf.Tensor) -> tf.Tensor:
        return tf.nn.max_pool(picture, self.window, 2, "VALID")  # <- here


def die() -> None:
    Pool(5)(tf.zeros([1, 3, 3, 1]))


def spare() -> None:
    Pool(2)(tf.zeros([1, 3, 3, 1]))
