"""The shuffle buffer holds five thousand decoded pictures, far more than the memory."""
# expect: shuffle-buffer-too-large
# memory: 900

import keras
import numpy as np
import tensorflow as tf


def pictures():
    rng = np.random.default_rng(0)
    picture = rng.random((160, 160, 3)).astype(np.float32)
    for n in range(6000):
        yield picture + n, n % 2


def dataset():
    spec = (tf.TensorSpec([160, 160, 3], tf.float32), tf.TensorSpec([], tf.int32))
    data = tf.data.Dataset.from_generator(pictures, output_signature=spec)
    return data.shuffle(5000).batch(8).prefetch(1)  # <- here


layers = [keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(2)]
model = keras.Sequential(layers)
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset(), epochs=1, verbose=0)
