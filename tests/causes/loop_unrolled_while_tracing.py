"""A Python loop inside tf.function is unrolled: one call builds a graph without end, with an array in every piece."""
# expect: graph-grows LIKELY
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import numpy as np
import tensorflow as tf

table = np.random.default_rng(0).random((64, 1024)).astype(np.float32)


@tf.function
def simulate(state: tf.Tensor, steps: int) -> tf.Tensor:
    for step in range(steps):
        noise = tf.constant(table + step)  # <- here
        state = state + tf.reduce_mean(noise)  # <- here
    return state


def die() -> None:
    simulate(tf.zeros([16]), 1_000_000)


def spare() -> None:
    simulate(tf.zeros([16]), 10)
