"""Nothing is wrong here."""

import numpy as np
import tensorflow as tf

a = tf.constant([1.0, 2.0]) + np.array([1.0, 2.0])
b = np.ones((3, 3)) @ np.ones((3, 2))
c = tf.matmul(np.ones((3, 3), np.float32), tf.ones([3, 2]))
d = tf.concat([a, a], 0)
e = 2 * d - 1
t = tf.reshape(e, (tf.shape(e)[0] // 2, 2))
t = tf.where(t > 0, t, 0.0)
mask = tf.boolean_mask(t, tf.constant([True, False]))
u = mask + tf.ones([2])
k = [tf.ones([2, 2]) for _ in range(3)]
s = tf.stack(k) @ tf.ones([2, 5])
one = tf.one_hot([0, 1, 2], 3)
print(tf.argmax(one, axis=1) + 1)
print(-s + 1, tf.transpose(s, [0, 2, 1]).shape)
