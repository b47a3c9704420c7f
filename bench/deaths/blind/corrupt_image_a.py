"""One photo of the folder was cut off while it was copied; the pipeline decodes all of them."""
# expect: corrupt-image

import os

import numpy as np
import tensorflow as tf

os.makedirs("photos/train", exist_ok=True)
for i in range(6):
    pixels = np.random.default_rng(i).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    data = tf.io.encode_jpeg(pixels).numpy()
    with open(f"photos/train/img_{i}.jpg", "wb") as f:
        f.write(data if i != 4 else data[: len(data) // 3])


class PhotoPipeline:
    def __init__(self, pattern):
        self.files = tf.data.Dataset.list_files(pattern, shuffle=False)

    def load(self, path):
        raw = tf.io.read_file(path)
        image = tf.io.decode_jpeg(raw, channels=3)  # <- here
        return tf.image.resize(image, [32, 32]) / 255.0

    def batches(self):
        return self.files.map(self.load, num_parallel_calls=2).batch(2)


total = 0.0
for batch in PhotoPipeline("photos/train/*.jpg").batches():  # <- here
    total += float(tf.reduce_mean(batch))
print("mean", total)
