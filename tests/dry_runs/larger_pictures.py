"""Pictures of another size than the model's."""

import tensorflow as tf

i = tf.keras.Input((32, 32, 3))
o = tf.keras.layers.Dense(10)(tf.keras.layers.Flatten()(i))
m = tf.keras.Model(i, o)
print(m(tf.zeros([2, 64, 64, 3])).shape)  # refused: model-input
