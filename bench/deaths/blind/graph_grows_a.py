"""Every new value is assigned with a fresh assign op, in a session: the default graph grows with each step."""
# expect: graph-grows
# memory: 900

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class MovingAverage:
    def __init__(self, session, size):
        self.session = session
        self.value = tf.get_variable("average", [size], initializer=tf.zeros_initializer())
        session.run(self.value.initializer)

    def update(self, sample):
        blended = 0.9 * self.value + 0.1 * sample  # <- here
        self.session.run(tf.assign(self.value, blended))  # <- here


with tf.Session() as session:
    average = MovingAverage(session, 250_000)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        average.update(rng.random(250_000, dtype=np.float32))
    print(session.run(tf.reduce_mean(average.value)))
