"""Unpooling with the indices of another picture: a CHECK in TensorFlow's C++ fails."""
# expect: tf-check-failed PROVEN
# example: yes
# ending: SIGABRT
# needs: tensorflow

import tensorflow as tf


def unpool(like: tf.Tensor, grad: tf.Tensor, argmax: tf.Tensor) -> tf.Tensor:
    return tf.raw_ops.MaxPoolGradWithArgmax(  # <- here
        input=like,
        grad=grad,
        argmax=argmax,
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="VALID",
    )


def run(scale: int) -> None:
    picture = tf.random.uniform([1, 8, 8, 1])
    pooled, argmax = tf.nn.max_pool_with_argmax(picture, 2, 2, "VALID")
    unpool(picture, pooled, argmax * scale)


def die() -> None:
    run(1000)


def spare() -> None:
    run(1)
