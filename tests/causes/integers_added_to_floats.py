"""Positions (int32) are added to embeddings (float32), inside a compiled function."""
# expect: dtype-mismatch PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf


@tf.function
def encode(tokens: tf.Tensor, cast: bool) -> tf.Tensor:
    embedded = tf.one_hot(tokens, 8)
    positions = tf.range(tf.shape(tokens)[0])[:, tf.newaxis]
    if cast:
        positions = tf.cast(positions, tf.float32)
    return embedded + positions  # <- here


def die() -> None:
    print(encode(tf.constant([1, 2]), False))


def spare() -> None:
    print(encode(tf.constant([1, 2]), True))
