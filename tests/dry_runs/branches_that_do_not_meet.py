"""Two branches of a functional model."""

import tensorflow as tf

i = tf.keras.Input((28, 28, 1))
x = tf.keras.layers.Conv2D(4, 3)(i)
x = tf.keras.layers.Dense(10)(x)
y = tf.keras.layers.Dense(10)(i)
z = tf.keras.layers.Concatenate()([x, y])  # refused: model-input
