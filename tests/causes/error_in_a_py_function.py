"""A Python function inside a tf.data pipeline fails; TensorFlow's error names no line of it but in its text."""
# expect: uncaught-exception PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf


def read(number: tf.Tensor) -> float:
    if number.numpy() > 1:
        raise LookupError(f"no file {number.numpy()}")  # <- here
    return 1.0


def run(count: int) -> None:
    for value in tf.data.Dataset.range(count).map(lambda x: tf.py_function(read, [x], tf.float32)):
        print(float(value))


def die() -> None:
    run(3)


def spare() -> None:
    run(2)
