"""A thread that has finished its part closes the session that the main thread still needs."""
# expect: session-closed PROVEN
# ending: 1
# needs: tensorflow

import threading

import tensorflow.compat.v1 as tf


def evaluate(session: tf.Session, loss: tf.Tensor, close: bool) -> None:
    session.run(loss)
    if close:
        session.close()  # <- here


def run(close: bool) -> None:
    with tf.Graph().as_default():
        loss = tf.reduce_sum(tf.ones([8, 8]))
        session = tf.Session()
        worker = threading.Thread(target=evaluate, args=(session, loss, close), name="evaluation")
        worker.start()
        worker.join()
        for _ in range(3):
            print(session.run(loss))
        session.close()


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
