"""Whole numbers and floats."""

import tensorflow as tf

a = tf.constant([1, 2, 3])
b = tf.constant([1.0, 2.0, 3.0])
print(a + b)  # refused: dtype
