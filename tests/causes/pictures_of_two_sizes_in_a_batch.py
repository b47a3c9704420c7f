"""Pictures of two sizes in one batch; the stage that fails is built in a helper function."""
# expect: shape-mismatch PROVEN
# ending: 1
# needs: tensorflow

import numpy as np
import tensorflow as tf


def batches(data: tf.data.Dataset, size: int) -> tf.data.Dataset:
    data = data.shuffle(8)
    return data.batch(size).prefetch(1)  # <- here


def run(sides: list[int]) -> None:
    data = tf.data.Dataset.from_generator(
        lambda: (np.zeros((side, side, 3), np.float32) for side in sides),
        output_signature=tf.TensorSpec([None, None, 3], tf.float32),
    )
    for batch in batches(data, 4):
        print(batch.shape)


def die() -> None:
    run([8, 8, 12, 8])


def spare() -> None:
    run([8, 8, 8, 8])
