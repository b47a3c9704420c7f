"""TensorFlow refuses one tensor of a hundred terabytes: ResourceExhaustedError."""
# expect: allocation-refused PROVEN
# example: yes
# ending: 1
# needs: tensorflow

import tensorflow as tf


def ones(side: int) -> int:
    return int(tf.size(tf.random.uniform([side, side])))  # <- here


def die() -> None:
    ones(5_000_000)


def spare() -> None:
    try:
        ones(5_000_000)
    except tf.errors.ResourceExhaustedError:
        print("too large, as expected")
