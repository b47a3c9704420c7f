"""A pipeline for each epoch reads from a generator, and TensorFlow's graph keeps every such function, with the pictures that it was made around."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 750
# needs: tensorflow

import numpy as np
import tensorflow as tf


def epoch(seed: int) -> float:
    pictures = np.random.default_rng(seed).random((60, 250, 250), dtype="float32")

    def read():  # <- here
        yield from pictures

    signature = tf.TensorSpec([250, 250])
    dataset = tf.data.Dataset.from_generator(read, output_signature=signature)  # <- here
    return float(next(iter(dataset.batch(4)))[0, 0, 0])


def die() -> None:
    for seed in range(200):
        epoch(seed)


def spare() -> None:
    for seed in range(4):
        epoch(seed)
