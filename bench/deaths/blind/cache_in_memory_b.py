"""Spectrograms come from a generator; the pipeline caches them 'for the next epochs', all ten thousand."""
# expect: cache-in-memory
# memory: 800

import numpy as np
import tensorflow as tf


class SpeechCommands:
    def __init__(self, clips):
        self.clips = clips
        self.rng = np.random.default_rng(7)

    def waves(self):
        for n in range(self.clips):
            yield self.rng.standard_normal(16_000).astype(np.float32), n % 10

    @staticmethod
    def spectrogram(wave, word):
        return tf.abs(tf.signal.stft(wave, frame_length=512, frame_step=64)), word

    def dataset(self):
        spec = (tf.TensorSpec([16_000]), tf.TensorSpec([], tf.int32))
        data = tf.data.Dataset.from_generator(self.waves, output_signature=spec)
        data = data.map(self.spectrogram)
        data = data.cache()  # <- here
        return data.shuffle(20).batch(10)


def train(data, epochs):
    mean = tf.Variable(0.0)
    for epoch in range(epochs):
        for step, (x, _) in enumerate(data):
            mean.assign(0.9 * mean + 0.1 * tf.reduce_mean(x))
        print("epoch", epoch, "steps", step, float(mean))


train(SpeechCommands(10_000).dataset(), 2)
