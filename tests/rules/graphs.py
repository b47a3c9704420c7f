"""Graphs and sessions of TensorFlow 1: what is fed, fetched, initialized and filled, and what only looks as if it went wrong."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def layer(inputs, units, activation=tf.nn.relu):
    weights = tf.Variable(tf.random_normal([8, units]))
    return activation(tf.matmul(inputs, weights))


def linear(inputs, units):
    weights = tf.Variable(tf.random_normal([8, units]))
    biases = tf.Variable(tf.zeros([units]))
    return tf.matmul(inputs, weights) + biases


pixels = tf.placeholder(tf.float32, [None, 8])
labels = tf.placeholder(tf.float32, [None, 8])
rate = tf.placeholder(tf.float32, [])

scores = linear(pixels, 8)
chances = tf.nn.softmax(scores)
bounded = layer(pixels, 8)
loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=scores)
tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=bounded)  # expect: activation-before-softmax
tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=chances)  # expect: activation-before-softmax
tf.nn.softmax_cross_entropy_with_logits(labels=scores, logits=labels)  # expect: labels-and-logits-swapped
tf.nn.softmax_cross_entropy_with_logits(labels, scores)  # expect: positional-labels-and-logits
tf.log(chances)  # expect: log-without-floor
tf.log(chances + 1e-9)
tf.log(tf.clip_by_value(chances, 1e-9, 1.0))
tf.log(tf.nn.softmax([1.0, 2.0]))
tf.log(1.0 - tf.nn.sigmoid(scores))  # expect: log-without-floor
tf.nn.softmax(chances)  # expect: activation-twice

if rate > 0.5:  # expect: condition-on-placeholder
    pass
if rate is not None:
    pass
np.mean(pixels)  # expect: tensor-used-as-value
len(labels)  # expect: tensor-used-as-value
np.mean([1.0, 2.0])
tf.argmax(labels)  # expect: argmax-over-the-batch
tf.argmax(labels, 1)

class Model:
    def __init__(self):
        self.total = tf.Variable(0.0)
        self.total.assign(1.0)  # expect: operation-dropped
        self.update = self.total.assign(2.0)

    def save(self, session):
        session.run(self.update)


Model()

train = tf.train.AdamOptimizer(rate).minimize(loss)
start = tf.global_variables_initializer()
with tf.Session() as session:
    session.run(start)
    values = session.run(scores, {pixels: np.zeros([2, 8])})
    session.run(scores)  # expect: placeholder-not-fed
    session.run(train, {pixels: values, labels: values})  # expect: placeholder-not-fed
    session.run(train, {pixels: values, labels: values, rate: 0.1})
    session.run(train, {pixels: scores, labels: values, rate: 0.1})  # expect: tensor-in-feed
    session.run(linear, {pixels: values})  # expect: fetch-not-an-operation
    session.run(scores, {"pixels": values})  # expect: feed-key-not-a-tensor
    for step in range(100):
        values = session.run(scores, {pixels: values})
        scores = session.run(scores, {pixels: values})  # expect: fetch-overwritten
    for step in range(100):
        session.run(train, {pixels: values, labels: values, rate: 0.1})
        tf.reduce_mean(loss)  # expect: graph-grown-in-loop
