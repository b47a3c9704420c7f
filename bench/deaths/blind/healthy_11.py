"""A large shuffle buffer, a cache and a prefetch that all fit, over two epochs."""
# expect: nothing
# memory: 1200

import keras
import numpy as np
import tensorflow as tf


def pictures():
    base = np.random.default_rng(0).random((64, 64, 3)).astype(np.float32)
    for n in range(700):
        yield base + n % 5, n % 2


def dataset():
    spec = (tf.TensorSpec([64, 64, 3]), tf.TensorSpec([], tf.int32))
    data = tf.data.Dataset.from_generator(pictures, output_signature=spec)
    return data.cache().shuffle(700).batch(32).prefetch(8)


model = keras.Sequential([keras.Input((64, 64, 3)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(2)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(dataset(), epochs=2, verbose=2)
print("losses", [round(loss, 3) for loss in history.history["loss"]])
