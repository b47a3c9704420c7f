"""The address of an array is passed to memmove as an int of 32 bits, from a py_function of the pipeline."""
# expect: user-native-crashed

import ctypes

import numpy as np
import tensorflow as tf

libc = ctypes.CDLL(None)
frame = np.zeros((240, 320, 3), np.uint8)


def grab(number):
    picture = np.full((240, 320, 3), int(number), np.uint8)
    address = picture.ctypes.data & 0xFFFFFFFF
    target = ctypes.c_void_p(frame.ctypes.data)
    libc.memmove(target, ctypes.c_void_p(address), picture.nbytes)  # <- here
    return frame.copy()


def load(number):
    picture = tf.py_function(grab, [number], tf.uint8)  # <- here
    return tf.cast(tf.ensure_shape(picture, [240, 320, 3]), tf.float32) / 255.0


for batch in tf.data.Dataset.range(8).map(load).batch(4):
    print(float(tf.reduce_mean(batch)))
