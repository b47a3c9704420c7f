"""A loop whose second turn does not fit."""

import tensorflow as tf


def block(x, n):
    return tf.keras.layers.Conv2D(n, 3, padding="same")(x)


i = tf.keras.Input((32, 32, 3))
a = block(i, 8)
for n in (8, 16, 32):
    b = block(a, n)
    a = tf.keras.layers.Add()([a, b])  # refused: model-input
