"""A graph of TensorFlow 1, and an array that its placeholder cannot take."""

import numpy as np
import tensorflow.compat.v1 as tf

with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 784])
    w = tf.get_variable("w", [784, 10])
    y = tf.matmul(x, w)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(y, feed_dict={x: np.zeros((5, 784))})
        session.run(y, feed_dict={x: np.zeros((5, 28, 28))})  # refused: feed
