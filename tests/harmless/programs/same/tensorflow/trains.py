# needs: module tensorflow
# slow
"""A small network learns the same numbers."""

import os

aside = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its log has times and numbers of threads
import tensorflow as tf

tf.keras.utils.set_random_seed(3)
tf.config.experimental.enable_op_determinism()
model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.reshape(tf.range(60, dtype=tf.float32), (20, 3)) / 60
history = model.fit(data, data[:, :1], epochs=2, verbose=0)
print(history.history["loss"])
