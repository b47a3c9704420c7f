"""A thread keeps the error of a closed session in an attribute, and the main thread raises it again after the join."""
# expect: session-closed PROVEN
# ending: 1
# needs: tensorflow

import threading

import tensorflow.compat.v1 as tf


class Reader(threading.Thread):
    def __init__(self, session: tf.Session, step: tf.Tensor) -> None:
        super().__init__(name="reader")
        self.session, self.step = session, step
        self.may_read = threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        self.may_read.wait()
        try:
            self.session.run(self.step)
        except Exception as error:
            self.error = error


def run(close: bool) -> None:
    with tf.Graph().as_default():
        session = tf.Session()
        reader = Reader(session, tf.reduce_sum(tf.ones([8, 8])))
        reader.start()
        if close:
            session.close()  # <- here
        reader.may_read.set()
        reader.join()
        if reader.error is not None:
            raise reader.error


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
