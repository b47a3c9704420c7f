"""The main program waits for an event that only a branch sets which is not taken."""
# expect: waiting-forever
# hang: 3

import threading

import tensorflow as tf

warm = threading.Event()


def warm_up(step, sizes):
    for size in sizes:
        if size > 512:
            print("too large to warm up", size)
            return
        step(tf.ones([size, 8]))
    warm.set()


@tf.function(reduce_retracing=True)
def step(x):
    return tf.reduce_mean(tf.square(x))


def serve():
    helper = threading.Thread(target=warm_up, args=(step, [64, 1024]))
    helper.start()
    warm.wait()  # <- here
    print("serving", float(step(tf.zeros([4, 8]))))


serve()
