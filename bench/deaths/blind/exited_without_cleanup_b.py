"""The handler of an error ends with os._exit(0): the results that were still buffered are never written."""
# expect: exited-without-cleanup

import os

import tensorflow as tf


def guard(function):
    def wrapped(*args):
        try:
            return function(*args)
        except tf.errors.OpError as error:
            print("giving up:", error.message[:40])
            os._exit(0)  # <- here

    return wrapped


@guard
def infer(batch, weights):
    return tf.matmul(batch, weights)


weights = tf.ones([4, 2])
out = open("results.txt", "w")  # noqa: SIM115
for width in (4, 4, 5, 4):
    out.write(f"{infer(tf.ones([1, width]), weights).numpy()}\n")
out.close()
