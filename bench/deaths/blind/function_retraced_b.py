"""Every sentence has another length and the tagger's method takes it as a Python list, unrolled in the graph."""
# expect: function-retraced
# memory: 700

import random

import numpy as np
import tensorflow as tf


class Tagger(tf.Module):
    def __init__(self):
        self.embedding = np.random.default_rng(1).random((20_000, 64)).astype(np.float32)
        self.cell = tf.Variable(tf.random.normal([64, 64], stddev=0.1))

    @tf.function
    def tag(self, words):  # <- here
        rows = tf.gather(tf.constant(self.embedding), words)
        state = tf.zeros([64])
        for n in range(len(words)):
            state = tf.tanh(tf.linalg.matvec(self.cell, state) + rows[n])
        return tf.argmax(state)


tagger = Tagger()
rng = random.Random(5)
tags = []
for _ in range(2000):
    sentence = [rng.randrange(20_000) for _ in range(rng.randrange(3, 9))]
    tags.append(int(tagger.tag(sentence)))  # <- here
print(len(tags))
