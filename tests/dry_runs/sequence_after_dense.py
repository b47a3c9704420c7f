"""Keras refuses a layer while the model is put together."""

import tensorflow as tf

m = tf.keras.Sequential()
m.add(tf.keras.layers.Dense(10, input_shape=(20,)))
m.add(tf.keras.layers.LSTM(5))  # refused: model-input
