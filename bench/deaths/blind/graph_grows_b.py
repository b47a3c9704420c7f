"""Frames are resized inside the loop by new ops of one graph that is never reset."""
# expect: graph-grows
# memory: 900

import numpy as np
import tensorflow as tf


def camera(count):
    rng = np.random.default_rng(2)
    for _ in range(count):
        yield rng.random((360, 480, 3)).astype(np.float32)


def resize_all(frames):
    sizes = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for frame in frames:
            picture = tf.convert_to_tensor(frame)  # <- here
            small = tf.image.resize(picture, [90, 120])  # <- here
            sizes.append(session.run(small).shape)  # <- here
    return sizes


print(len(resize_all(camera(1500))))
