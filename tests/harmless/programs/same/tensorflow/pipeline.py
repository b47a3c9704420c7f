# needs: module tensorflow
# slow
"""A pipeline with map, shuffle, batch and prefetch."""

import os

aside = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its log has times and numbers of threads
import tensorflow as tf

data = (
    tf.data.Dataset.range(20)
    .map(tf.square, num_parallel_calls=2)
    .shuffle(5, seed=3)
    .batch(4)
    .prefetch(2)
)
print([batch.numpy().tolist() for batch in data])
