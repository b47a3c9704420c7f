"""A check inside a compiled step finds the NaN that a logarithm made."""
# expect: not-finite PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf


class Trainer:
    def __init__(self, start: float) -> None:
        self.weight = tf.Variable(start)

    @tf.function
    def step(self) -> tf.Tensor:
        loss = tf.math.log(self.weight) * 0.0
        loss = tf.debugging.check_numerics(loss, "loss")  # <- here
        self.weight.assign_sub(0.5)
        return loss


def run(start: float) -> None:
    trainer = Trainer(start)
    for number in range(3):
        print(number, float(trainer.step()))


def die() -> None:
    run(1.0)


def spare() -> None:
    run(9.0)
