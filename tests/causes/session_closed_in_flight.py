"""The main thread closes a session while another thread runs a step in it; the program ends with status 0."""
# expect: session-closed PROVEN
# ending: 0
# needs: tensorflow

import threading

import tensorflow.compat.v1 as tf


class Scorer(threading.Thread):
    def __init__(self, session: tf.Session, step: tf.Tensor, steps: int) -> None:
        super().__init__(name="scorer")
        self.session, self.step, self.steps = session, step, steps
        self.under_way = threading.Event()

    def run(self) -> None:
        for _ in range(self.steps):
            self.session.run(self.step)
            self.under_way.set()


def run(steps: int) -> None:
    with tf.Graph().as_default():
        values = tf.random.uniform([900, 900])
        step = tf.reduce_sum(tf.matmul(tf.matmul(values, values), values))
        session = tf.Session()
        scorer = Scorer(session, step, steps)
        scorer.start()
        scorer.under_way.wait()
        if steps < 10:
            scorer.join()
        session.close()  # <- here
        scorer.join()


def die() -> None:
    run(10_000)


def spare() -> None:
    run(2)
