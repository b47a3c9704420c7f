"""Row splits past the end, unchecked: a real TensorFlow kernel reads what is not its own."""
# expect: native-op-crashed LIKELY
# ending: SIGSEGV
# needs: tensorflow

import tensorflow as tf


def dense(last: int) -> tf.Tensor:
    values = tf.range(1000, dtype=tf.float32)
    rows = tf.RaggedTensor.from_row_splits(values, [0, 10, last], validate=False)
    return rows.to_tensor()  # <- here


def die() -> None:
    for factor in range(1, 60):
        dense(1000 * 4**factor if factor < 14 else 2**33)


def spare() -> None:
    dense(1000)
