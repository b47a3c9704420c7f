"""A learning rate as a Python float: a new graph, with a copy of the table, at every step."""
# expect: function-retraced LIKELY
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self) -> None:
        self.table = np.random.default_rng(0).random((1024, 256)).astype(np.float32)
        self.weights = tf.Variable(tf.zeros([256, 4]))

    @tf.function
    def step(self, batch: tf.Tensor, rate: float) -> tf.Tensor:  # <- here
        features = tf.matmul(batch, self.table)
        loss = tf.reduce_mean(tf.square(tf.matmul(features, self.weights) - 1.0))
        self.weights.assign_sub(rate * tf.zeros([256, 4]))
        return loss


def run(steps: int, as_tensor: bool) -> None:
    trainer = Trainer()
    batch = tf.random.normal([8, 1024])
    rate = 0.01
    for _ in range(steps):
        rate *= 0.999
        trainer.step(batch, tf.constant(rate) if as_tensor else rate)


def die() -> None:
    run(3000, False)


def spare() -> None:
    run(50, True)
