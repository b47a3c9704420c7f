"""Masks of zeros and ones are collected in np.zeros() of the default type: eight bytes for a bit."""
# expect: widened-dtype
# memory: 900

import numpy as np
import tensorflow as tf

SIDE = 256


def polygons(count):
    rng = np.random.default_rng(3)
    for _ in range(count):
        top, left = rng.integers(0, SIDE // 2, 2)
        yield top, left, top + 60, left + 80


def rasterise(boxes, count):
    masks = np.zeros((count, SIDE, SIDE))  # <- here
    for n, (top, left, bottom, right) in enumerate(boxes):
        masks[n] = 0
        masks[n, top:bottom, left:right] = 1
    return masks


def main(count=2000):
    masks = rasterise(polygons(count), count)
    print("masks", masks.shape, masks.nbytes >> 20, "MB")
    data = tf.data.Dataset.range(count).map(lambda n: tf.cast(n, tf.float32)).batch(50)
    for n, batch in enumerate(data):
        part = tf.cast(masks[n * 50 : n * 50 + 50] > 0, tf.float32)
        print(float(tf.reduce_mean(part)) * float(tf.reduce_mean(batch)))


main()
