"""prefetch(400) was meant for small rows; since then the elements have become batches of pictures."""
# expect: prefetch-too-deep
# memory: 600

import keras
import numpy as np
import tensorflow as tf


def pictures():
    base = np.random.default_rng(0).random((192, 192, 3)).astype(np.float32)
    for n in range(40_000):
        yield base + n % 7, n % 2


def pipeline(batch):
    spec = (tf.TensorSpec([192, 192, 3]), tf.TensorSpec([], tf.int32))
    data = tf.data.Dataset.from_generator(pictures, output_signature=spec)
    return data.batch(batch).prefetch(400)  # <- here


def build():
    model = keras.Sequential(
        [
            keras.Input((192, 192, 3)),
            keras.layers.Conv2D(16, 7, strides=2, activation="relu"),
            keras.layers.Conv2D(32, 5, strides=2, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(2),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


build().fit(pipeline(16), epochs=1, verbose=0)
