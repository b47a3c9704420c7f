"""Nothing is wrong here."""

import numpy as np
import tensorflow as tf

x = np.random.randn(50, 4).astype("float32")
y = np.random.randint(0, 3, size=(50,))
w = tf.Variable(tf.random.normal([4, 3]))
for _step in range(3):
    with tf.GradientTape() as tape:
        logits = tf.matmul(x, w)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        )
    g = tape.gradient(loss, w)
    w.assign_sub(0.1 * g)
