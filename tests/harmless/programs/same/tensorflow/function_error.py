# needs: module tensorflow
# slow
# status: 1
"""The trace of an error in a graph."""

import os

aside = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its log has times and numbers of threads
import tensorflow as tf


@tf.function(autograph=False)
def work(a, b):
    return tf.matmul(a, b)


left, right = tf.zeros((2, 3)), tf.zeros((2, 3))
os.dup2(aside, 2)
work(left, right)
