"""One example instead of a batch of them."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(8,)), tf.keras.layers.Dense(1)])
model.compile(loss="mse", optimizer="adam")
model.predict(np.zeros((8,)))  # refused: model-input
