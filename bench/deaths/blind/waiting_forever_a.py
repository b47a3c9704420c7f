"""The reader puts fewer batches into the queue than the trainer takes, and no end mark."""
# expect: waiting-forever
# hang: 3

import queue
import threading

import tensorflow as tf


class Reader(threading.Thread):
    def __init__(self, rows, size):
        super().__init__()
        self.rows, self.size = rows, size
        self.out = queue.Queue(maxsize=4)

    def run(self):
        for start in range(0, len(self.rows) - self.size, self.size):
            self.out.put(self.rows[start : start + self.size])


def train(reader, steps):
    w = tf.Variable(0.0)
    for _ in range(steps):
        batch = reader.out.get()  # <- here
        w.assign_add(tf.reduce_sum(tf.constant(batch)))
    return float(w)


reader = Reader([float(n) for n in range(40)], 8)
reader.start()
print(train(reader, steps=5))
