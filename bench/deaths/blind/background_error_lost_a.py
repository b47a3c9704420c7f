"""Pictures are resized in a pool; nobody asks the futures, so all errors are lost and the result is empty."""
# expect: background-error-lost

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf


class Resizer:
    def __init__(self, size):
        self.size = size
        self.done = {}

    def work(self, name, image):
        small = tf.image.resize(image, self.size)
        gray = tf.image.rgb_to_grayscale(small)  # <- here
        self.done[name] = gray.numpy()

    def run(self, images):
        with ThreadPoolExecutor(2) as pool:
            for name, image in images.items():
                pool.submit(self.work, name, image)  # <- here
        return self.done


images = {f"scan_{n}": np.ones((40, 40, 1), np.float32) for n in range(5)}
print("resized", len(Resizer((20, 20)).run(images)), "of", len(images))
