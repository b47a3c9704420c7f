"""A native staging buffer is freed by the function that copies it and once more by its owner."""
# expect: heap-corrupted

import contextlib
import ctypes

import tensorflow as tf

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Staging(contextlib.AbstractContextManager):
    def __init__(self, size):
        self.size = size
        self.address = libc.malloc(size)

    def fill(self, value):
        ctypes.memset(self.address, value, self.size)
        return ctypes.string_at(self.address, self.size)

    def release(self):
        libc.free(self.address)  # <- here

    def __exit__(self, *error):
        self.release()  # <- here


def take(staging, value):
    tensor = tf.io.decode_raw(staging.fill(value), tf.uint8)
    staging.release()  # <- here
    return tensor


def load(values):
    for value in values:
        with Staging(1000) as staging:
            tensor = take(staging, value)
        yield tensor


for tensor in load([1, 2, 3]):
    print("sum", int(tf.reduce_sum(tf.cast(tensor, tf.int32))))
