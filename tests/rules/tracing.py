"""What a traced function does once, and pictures whose rank is not known."""

import random
import time

import tensorflow as tf


def load(path):
    picture = tf.io.decode_image(tf.io.read_file(path))  # expect: unguarded-decode possible
    return tf.image.resize(picture, [8, 8])  # expect: picture-without-a-rank


def known(path):
    picture = tf.io.decode_image(tf.io.read_file(path))  # expect: unguarded-decode possible
    picture.set_shape([None, None, 3])
    return tf.image.resize(picture, [8, 8])


def eager(data):
    return tf.image.resize(tf.io.decode_image(data), [8, 8])


def noisy(number):
    time.sleep(0.1)  # expect: side-effect-while-tracing possible
    print("at", number)  # expect: side-effect-while-tracing possible
    tf.print("at", number)
    return tf.cast(number, tf.float32) * random.random()  # expect: side-effect-while-tracing possible


def plain(number):
    time.sleep(0.1)
    return number


paths = tf.data.Dataset.from_tensor_slices(["a.png"])
one = paths.map(load)  # expect: unprotected-file-map possible
two = paths.map(known)  # expect: unprotected-file-map possible
numbers = tf.data.Dataset.range(3).map(noisy)
print(list(map(plain, [1, 2])), eager(b""), one, two, numbers)
