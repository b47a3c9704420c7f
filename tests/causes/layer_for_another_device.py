"""An operation that only a GPU has, on a machine without one: its dtype is right."""
# expect: uncaught-exception PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf


def encode(words: int, fused: bool) -> tf.Tensor:
    x = tf.zeros([words, 1, 4])
    if not fused:
        return tf.reduce_sum(x)
    params = tf.zeros([160])
    state = tf.zeros([1, 1, 4])
    return tf.raw_ops.CudnnRNN(input=x, input_h=state, input_c=state, params=params)[0]  # <- here


def die() -> None:
    print(encode(3, True))


def spare() -> None:
    print(encode(3, False))
