"""The learning rate is a Python number that changes every step, so the step is traced again each time."""
# expect: function-retraced
# memory: 900

import numpy as np
import tensorflow as tf

table = np.random.default_rng(0).random((1024, 512)).astype(np.float32)
w = tf.Variable(tf.zeros([512, 1]))


@tf.function
def train_step(x, y, rate):  # <- here
    with tf.GradientTape() as tape:
        features = tf.matmul(x, tf.constant(table))
        loss = tf.reduce_mean(tf.square(features @ w - y))
    w.assign_sub(rate * tape.gradient(loss, w))
    return loss


def train(steps):
    rate = 1e-4
    for step in range(steps):
        x = tf.random.uniform([16, 1024])
        loss = train_step(x, tf.ones([16, 1]), rate)  # <- here
        rate *= 0.999
        if step % 50 == 0:
            print(step, float(loss))


train(3000)
