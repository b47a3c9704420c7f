"""More rows than labels."""

import numpy as np
import tensorflow as tf

x = np.random.rand(100, 10)
y = np.random.rand(90, 1)
m = tf.keras.Sequential([tf.keras.layers.Dense(1)])
m.compile("adam", "mse")
m.fit(x, y)  # refused: labels
