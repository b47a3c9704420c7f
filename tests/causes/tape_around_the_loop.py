"""The training loop runs inside the tape's block: nothing of any step is ever given back."""
# expect: tape-kept-open LIKELY
# ending: SIGKILL
# memory: 1000
# needs: tensorflow

import tensorflow as tf


class Fit:
    def __init__(self) -> None:
        self.weights = tf.Variable(tf.random.normal([256, 256]) * 0.05)

    def loss(self) -> tf.Tensor:
        rows = tf.random.normal([512, 256])
        return tf.reduce_mean(tf.square(tf.tanh(rows @ self.weights) - 1.0))

    def around(self, steps: int) -> None:
        with tf.GradientTape(persistent=True) as tape:  # <- here
            for _ in range(steps):
                loss = self.loss()
                self.weights.assign_sub(0.01 * tape.gradient(loss, self.weights))

    def inside(self, steps: int) -> None:
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = self.loss()
            self.weights.assign_sub(0.01 * tape.gradient(loss, self.weights))


def die() -> None:
    Fit().around(20_000)


def spare() -> None:
    Fit().inside(30)
