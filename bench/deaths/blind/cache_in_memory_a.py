"""Decoded pictures are cached after map(): the first epoch fills the memory."""
# expect: cache-in-memory
# memory: 900

import os

import keras
import numpy as np
import tensorflow as tf

SIZE = 256


def write_pictures(folder, count):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(1)
    for n in range(count):
        small = rng.integers(0, 255, (32, 32, 3), dtype=np.uint8)
        tf.io.write_file(f"{folder}/{n % 2}_{n}.jpg", tf.io.encode_jpeg(small))


def load(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    label = tf.strings.to_number(tf.strings.substr(tf.strings.split(path, "/")[-1], 0, 1))
    return tf.image.resize(image, [SIZE, SIZE]) / 255.0, label


def build():
    model = keras.Sequential([keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


write_pictures("pets", 60)
train = tf.data.Dataset.list_files("pets/*.jpg").repeat(30)
train = train.map(load, num_parallel_calls=2).cache().batch(16).prefetch(1)  # <- here
build().fit(train, epochs=3, verbose=2)
