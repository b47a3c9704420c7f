"""The preprocessing writes the feature file anew while the training still reads the old one through a memmap."""
# expect: mapped-file-truncated

import threading
import time

import numpy as np
import tensorflow as tf

PATH = "features.dat"
ROWS, WIDTH = 20_000, 64


def preprocess(rows):
    np.zeros((rows, WIDTH), np.float32).tofile(PATH)  # <- here


class Features:
    def __init__(self):
        self.data = np.memmap(PATH, np.float32, "r", shape=(ROWS, WIDTH))  # <- here

    def batches(self, size):
        for start in range(0, ROWS, size):
            yield np.array(self.data[start : start + size])  # <- here


def train(features):
    total = 0.0
    for batch in features.batches(500):
        total += float(tf.reduce_sum(tf.constant(batch)))
        time.sleep(0.1)
    return total


preprocess(ROWS)
features = Features()
again = threading.Timer(1.0, preprocess, args=(2000,))
again.start()
print("total", train(features))
