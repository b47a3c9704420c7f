"""A session is used after the ``with`` that closes it has ended."""
# expect: session-closed PROVEN
# ending: 1
# needs: tensorflow

import tensorflow.compat.v1 as tf


def build() -> tuple[tf.Session, tf.Tensor]:
    graph = tf.Graph()
    with graph.as_default():
        total = tf.constant(1.0) + tf.constant(2.0)
    return tf.Session(graph=graph), total


def die() -> None:
    session, total = build()
    with session:  # <- here
        print(session.run(total))
    print(session.run(total))  # <- here


def spare() -> None:
    session, total = build()
    with session:
        print(session.run(total))
        print(session.run(total))
