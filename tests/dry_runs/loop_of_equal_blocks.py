"""Nothing is wrong here."""

import tensorflow as tf


def block(x, n):
    return tf.keras.layers.Conv2D(n, 3, padding="same")(x)


i = tf.keras.Input((32, 32, 3))
a = block(i, 8)
for n in (8, 8, 8):
    b = block(a, n)
    a = tf.keras.layers.Add()([a, b])
o = tf.keras.layers.Dense(10)(tf.keras.layers.Flatten()(a))
m = tf.keras.Model(i, o)
m.summary()
print(m(tf.zeros([2, 32, 32, 3])).shape)
