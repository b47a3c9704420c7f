"""256 calls of the augmentation run side by side, each makes 12 MB, and the training step is slow."""
# expect: parallel-map-too-wide
# memory: 1000

import time

import tensorflow as tf

CROPS = 16


def augment(seed):
    image = tf.random.stateless_uniform([256, 256, 3], tf.stack([seed, 7]))
    crops = [tf.image.stateless_random_flip_left_right(image, tf.stack([seed, k])) for k in range(CROPS)]
    return tf.stack(crops)


def make_dataset(samples):
    seeds = tf.data.Dataset.range(samples)
    return seeds.map(augment, num_parallel_calls=256)  # <- here


@tf.function
def step(images, weights):
    return tf.reduce_mean(tf.tensordot(images, weights, 1))


def train():
    weights = tf.Variable([0.3, 0.6, 0.1])
    for number, images in enumerate(make_dataset(2000)):
        loss = step(images, weights)
        time.sleep(0.5)
        if number % 10 == 0:
            print(number, float(loss), flush=True)


train()
