"""The evaluator reads volumes ahead, as many as there are patients, while each takes seconds to score."""
# expect: prefetch-too-deep
# memory: 650

import time

import tensorflow as tf


class VolumeLoader:
    def __init__(self, patients, shape=(64, 256, 256)):
        self.patients = patients
        self.shape = shape

    def load(self, patient):
        return tf.random.stateless_uniform(self.shape, tf.stack([patient, patient + 1]))

    def __iter__(self):
        data = tf.data.Dataset.range(self.patients).map(self.load)
        data = data.prefetch(buffer_size=self.patients)  # <- here
        return iter(data)


def dice(volume):
    mask = tf.cast(volume > 0.5, tf.float32)
    time.sleep(1.0)
    return float(2 * tf.reduce_sum(mask * volume) / (tf.reduce_sum(mask) + tf.reduce_sum(volume)))


def evaluate(loader):
    scores = []
    for volume in loader:
        scores.append(dice(volume))
        print("patient", len(scores), scores[-1], flush=True)
    return sum(scores) / len(scores)


print("mean", evaluate(VolumeLoader(120)))
