"""An input pipeline: parallel map, shuffle, batch, prefetch; many native threads, many allocations."""

import tensorflow as tf
from timing import scaled, timed_loop

SIDE = 96


def prepared(number: tf.Tensor) -> tf.Tensor:
    seed = tf.stack([number, number + 1])
    image = tf.random.stateless_uniform([SIDE, SIDE, 3], seed)
    image = tf.image.resize(image, [64, 64])
    image = tf.image.stateless_random_flip_left_right(image, seed)
    return tf.image.per_image_standardization(image)


images = (
    tf.data.Dataset.range(scaled(40_000))
    .shuffle(1_000, seed=0)
    .map(prepared, num_parallel_calls=2)
    .shuffle(500, seed=0)
    .batch(32)
    .prefetch(2)
)

with timed_loop():
    total = 0.0
    for batch in images:
        total += float(tf.reduce_sum(batch))
