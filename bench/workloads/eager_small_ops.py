"""A Python loop of tiny eager operations: what a recorder that looks at every call would slow down most."""

import tensorflow as tf
from timing import scaled, timed_loop

small = tf.constant([[1.0, 0.5], [0.25, 0.125]])

with timed_loop():
    state = tf.identity(small)
    for _ in range(scaled(50_000)):
        state = tf.tanh(tf.matmul(state, small) + small)
    state.numpy()
