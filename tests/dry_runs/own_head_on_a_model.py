"""A model of Keras' own, and another size."""

import tensorflow as tf

base = tf.keras.applications.MobileNetV2(include_top=False, weights=None, input_shape=(96, 96, 3))
x = tf.keras.layers.Dense(10)(base.output)
m = tf.keras.Model(base.input, x)
m.compile("adam", "sparse_categorical_crossentropy")
m.fit(tf.zeros([8, 128, 128, 3]), tf.zeros([8]))  # refused: model-input
