"""A map with a py_function per video keeps one call per file in flight: as many as there are files."""
# expect: parallel-map-too-wide
# memory: 900

import time

import keras
import numpy as np
import tensorflow as tf


class Videos:
    frames, side = 48, 160

    def __init__(self, names):
        self.names = names

    def read(self, name):
        brightness = int(name.numpy().decode().split("_")[1]) % 255
        return np.full((self.frames, self.side, self.side, 3), brightness, np.float32)

    def load(self, name):
        clip = tf.py_function(self.read, [name], tf.float32)
        clip.set_shape([self.frames, self.side, self.side, 3])
        return tf.expand_dims(clip, 0)

    def dataset(self):
        names = tf.data.Dataset.from_tensor_slices(self.names)
        return names.map(self.load, num_parallel_calls=len(self.names))  # <- here


class WriteReport(keras.callbacks.Callback):
    def on_predict_batch_end(self, batch, logs=None):
        time.sleep(0.4)
        with open("report.txt", "a") as f:
            f.write(f"{batch} {logs['outputs']}\n")


model = keras.Sequential([keras.layers.GlobalAveragePooling3D(), keras.layers.Dense(1)])
videos = Videos([f"video_{n}" for n in range(300)])
model.predict(videos.dataset(), verbose=0, callbacks=[WriteReport()])
