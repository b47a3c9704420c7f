"""The main thread closes the session, and a task of a pool uses it; the main thread only gets the error as the task's result."""
# expect: session-closed PROVEN
# ending: 1
# needs: tensorflow

from concurrent.futures import ThreadPoolExecutor

import tensorflow.compat.v1 as tf


def score(session: tf.Session, step: tf.Tensor) -> float:
    return float(session.run(step))


def run(close: bool) -> None:
    with tf.Graph().as_default(), ThreadPoolExecutor(2, thread_name_prefix="scorer") as pool:
        step = tf.reduce_sum(tf.ones([8, 8]))
        session = tf.Session()
        print(pool.submit(score, session, step).result())
        if close:
            session.close()  # <- here
        print(pool.submit(score, session, step).result())
        session.close()


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
