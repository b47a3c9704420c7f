"""Labels stay int64 and are subtracted from float logits in a training step."""
# expect: dtype-mismatch

import numpy as np
import tensorflow as tf

weights = tf.Variable(tf.zeros([3, 1]))


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        error = tf.matmul(x, weights)[:, 0] - y  # <- here
        loss = tf.reduce_mean(tf.square(error))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss


def main():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(32, 3)).astype("float32")
    y = rng.integers(0, 2, size=32)
    for a, b in tf.data.Dataset.from_tensor_slices((x, y)).batch(8):
        print(float(step(a, b)))  # <- here


main()
