"""A colleague asks the program to end with kill, in the middle of a fit over a tf.data pipeline."""
# expect: terminated-by-process
# send: SIGTERM

import os

import tensorflow as tf


def rows():
    n = 0
    while True:
        yield [float(n % 10), 1.0, float(n % 3)], float(n % 2)
        n += 1


def dataset():
    spec = (tf.TensorSpec([3]), tf.TensorSpec([]))
    return tf.data.Dataset.from_generator(rows, output_signature=spec).batch(32).prefetch(2)


class Regression:
    def __init__(self):
        self.w = tf.Variable(tf.zeros([3, 1]))

    def step(self, x, y):
        error = (x @ self.w)[:, 0] - y
        self.w.assign_sub(0.001 * tf.transpose(x) @ error[:, None] / len(y))
        return tf.reduce_mean(tf.square(error))


model = Regression()
for number, (x, y) in enumerate(dataset()):
    loss = model.step(x, y)
    if number == 100 and "VICTIM_READY" in os.environ:
        os.write(int(os.environ["VICTIM_READY"]), str(os.getpid()).encode())
    if number % 500 == 0:
        print(number, float(loss), flush=True)
