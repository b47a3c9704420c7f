"""The session lives in a with block; the scoring happens after it."""
# expect: session-closed

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class Scorer:
    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 4])
            w = tf.get_variable("w", [4, 2])
            self.y = tf.nn.softmax(self.x @ w)
            init = tf.global_variables_initializer()
        with tf.Session(graph=self.graph) as self.session:  # <- here
            self.session.run(init)

    def score(self, rows):
        return self.session.run(self.y, {self.x: rows})  # <- here


scorer = Scorer()
print(scorer.score(np.ones((2, 4))))
