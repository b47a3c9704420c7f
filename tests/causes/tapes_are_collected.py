"""Every step's tape is put aside "for later"."""
# expect: tape-kept-open LIKELY
# ending: SIGKILL
# memory: 1000
# needs: tensorflow

import tensorflow as tf

weights = tf.Variable(tf.random.normal([256, 256]) * 0.05)
records: dict = {}


def forward(step: int) -> tuple:
    with tf.GradientTape() as recorded:
        rows = tf.random.normal([512, 256])
        loss = tf.reduce_mean(tf.square(tf.tanh(rows @ weights) - 1.0))
    return recorded, loss


def run(steps: int, keep: bool) -> None:
    for step in range(steps):
        recorded, loss = forward(step)
        if keep:
            records[step] = (recorded, loss)  # <- here
        else:
            recorded.gradient(loss, weights)


def die() -> None:
    run(20_000, True)


def spare() -> None:
    run(30, False)
