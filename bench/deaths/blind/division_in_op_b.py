"""The header of a binary tensor file is damaged: its sizes are nonsense, and tf.reshape() gets them."""
# expect: division-in-op

import struct

import numpy as np
import tensorflow as tf


def export(path, array):
    with open(path, "wb") as f:
        f.write(struct.pack("<5i", *array.shape, -1))
        f.write(array.astype("<f4").tobytes())


def damage(path):
    with open(path, "r+b") as f:
        f.write(struct.pack("<5i", 0, 1879048192, 100000000, 1610612736, -1))


def read(path):
    with open(path, "rb") as f:
        shape = struct.unpack("<5i", f.read(20))
        values = np.frombuffer(f.read(), "<f4")
    return tf.reshape(tf.constant(values), tf.constant(shape))  # <- here


def summarise(paths):
    for path in paths:
        tensor = read(path)  # <- here
        print(path, tensor.shape, float(tf.reduce_mean(tensor)))


export("layer0.bin", np.ones((2, 3, 4, 5)))
export("layer1.bin", np.ones((1, 1, 1, 5)))
damage("layer1.bin")
summarise(["layer0.bin", "layer1.bin"])
