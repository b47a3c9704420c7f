"""A model of the program's own class."""

import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.a = tf.keras.layers.Dense(16)
        self.c = tf.keras.layers.Conv2D(4, 3)

    def call(self, x):
        return self.c(self.a(x))  # refused: model-input


net = Net()
print(net(tf.zeros([3, 8])))
