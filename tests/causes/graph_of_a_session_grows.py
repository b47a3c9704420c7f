"""A session loop of the old kind: every step builds its operations again, with a copy of the batch as a constant."""
# expect: graph-grows LIKELY
# ending: SIGKILL
# memory: 800
# needs: tensorflow

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


class Scorer:
    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.rows = v1.placeholder(tf.float32, [None, 2048])
            self.total = tf.reduce_sum(tf.sqrt(self.rows))

    def anew(self, session: v1.Session, rows: np.ndarray) -> float:
        with self.graph.as_default():
            made = tf.constant(rows)  # <- here
            return float(session.run(tf.reduce_sum(made)))  # <- here

    def fed(self, session: v1.Session, rows: np.ndarray) -> float:
        return float(session.run(self.total, {self.rows: rows}))


def run(steps: int, again: bool) -> None:
    scorer = Scorer()
    rows = np.random.default_rng(0).random((256, 2048)).astype(np.float32)
    with v1.Session(graph=scorer.graph) as session:
        for _ in range(steps):
            (scorer.anew if again else scorer.fed)(session, rows)


def die() -> None:
    run(20_000, True)


def spare() -> None:
    run(50, False)
