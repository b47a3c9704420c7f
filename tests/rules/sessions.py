"""TensorFlow 1 in a program for TensorFlow 2: what works inside a session, and what does not."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

outside = tf1.placeholder(tf.float32, [None])  # expect: placeholder-outside-a-graph
total = tf.reduce_sum(tf.ones([3]))
with tf1.Session() as session:
    inside = tf1.placeholder(tf.float32, [None])
    print(session.run(inside, feed_dict={inside: [1.0]}))
    print(session.run(total))  # expect: eager-tensor-in-session
    print(session.run(tf.reduce_sum(inside), feed_dict={inside: [1.0]}))

print(tf.placeholder)  # expect: removed-in-tensorflow-2
print(tf.contrib.layers.flatten)  # expect: removed-in-tensorflow-2
print(tf1.placeholder, tf.compat.v1.app, tf.train.Checkpoint)
try:
    tf.enable_eager_execution()
    tf.set_random_seed(1)
except AttributeError:
    pass


def network(width):
    return tf1.placeholder(tf.float32, [None, width])
