"""A file of Keras weights whose download broke off."""
# expect: corrupt-weights PROVEN
# ending: 1
# needs: tensorflow
# names: best.weights.h5

import os

import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(16)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return self.dense(x)


def restore(path: str) -> Net:
    net = Net()
    net(tf.zeros([1, 64]))
    net.load_weights(path)  # <- here
    return net


def run(lost: int) -> None:
    net = Net()
    net(tf.zeros([1, 64]))
    net.save_weights("best.weights.h5")
    os.truncate("best.weights.h5", os.path.getsize("best.weights.h5") - lost)
    restore("best.weights.h5")


def die() -> None:
    run(3000)


def spare() -> None:
    run(0)
