"""TensorFlow has run in the parent, with all its threads; then a pool is forked whose workers use TensorFlow too."""
# expect: forked-after-threads
# hang: 3
# hang_after: 3

import multiprocessing

import numpy as np
import tensorflow as tf


class Embedder:
    def __init__(self, width):
        rng = np.random.default_rng(0)
        self.weights = tf.constant(rng.random((width, 512), dtype=np.float32))

    @tf.function
    def project(self, rows):
        return tf.reduce_mean(tf.nn.relu(rows @ self.weights), axis=1)

    def __call__(self, seed):
        rows = np.random.default_rng(seed).random((400, self.weights.shape[0]), dtype=np.float32)
        return float(tf.reduce_sum(self.project(tf.constant(rows))))  # <- here


embedder = Embedder(600)


def embed(seed):
    return embedder(seed)  # <- here


if __name__ == "__main__":
    print("warm up", embed(0))
    context = multiprocessing.get_context("fork")  # <- here
    with context.Pool(2) as pool:  # <- here
        print(pool.map(embed, range(8)))  # <- here
