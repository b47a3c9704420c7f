"""The data set is shuffled after decoding and with the number of files as the buffer."""
# expect: shuffle-buffer-too-large
# memory: 900

import os

import numpy as np
import tensorflow as tf


class Loader:
    def __init__(self, folder, repeats):
        self.paths = sorted(os.path.join(folder, name) for name in os.listdir(folder)) * repeats
        self.size = (384, 384)

    def decode(self, path):
        picture = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize(picture, self.size)

    def epoch(self, batch):
        data = tf.data.Dataset.from_tensor_slices(self.paths)
        data = data.map(self.decode, num_parallel_calls=2)
        data = data.shuffle(len(self.paths))  # <- here
        return data.batch(batch)


os.makedirs("set", exist_ok=True)
for n in range(20):
    tf.io.write_file(f"set/{n}.jpg", tf.io.encode_jpeg(np.full((64, 64, 3), n, np.uint8)))
for batch in Loader("set", repeats=100).epoch(4):
    print(float(tf.reduce_mean(batch)))
