"""A running mean kept in float64 by NumPy is mixed with a float32 tensor, in a map function."""
# expect: dtype-mismatch

import numpy as np
import tensorflow as tf


class Standardise:
    def __init__(self, samples):
        self.mean = tf.constant(samples.mean(axis=0))
        self.std = tf.constant(samples.std(axis=0))

    def __call__(self, row):
        centred = tf.subtract(row, self.mean)  # <- here
        return centred / self.std


samples = np.random.default_rng(0).normal(5.0, 2.0, size=(100, 4))
rows = tf.data.Dataset.from_tensor_slices(samples.astype(np.float32))
ready = rows.map(Standardise(samples)).batch(10)  # <- here
print(sum(float(tf.reduce_sum(batch)) for batch in ready))
