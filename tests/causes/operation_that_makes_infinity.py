"""enable_check_numerics names the operation; the user's line is in a function of a function."""
# expect: not-finite PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf


def ratio(part: tf.Tensor, whole: tf.Tensor) -> tf.Tensor:
    return part / whole  # <- here


def report(wholes: list[float]) -> None:
    for whole in wholes:
        print(float(ratio(tf.constant(1.0), tf.constant(whole))))


def die() -> None:
    tf.debugging.enable_check_numerics()
    report([2.0, 0.0])


def spare() -> None:
    tf.debugging.enable_check_numerics()
    report([2.0, 1.0])
