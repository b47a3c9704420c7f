"""Ten classes, five outputs."""

import numpy as np
import tensorflow as tf

x = np.random.rand(10, 5)
y = np.random.randint(0, 10, (1000,))
x = np.random.rand(1000, 5)
m = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="softmax")])
m.compile("adam", "sparse_categorical_crossentropy")
m.fit(x, y, verbose=0)  # refused: labels
