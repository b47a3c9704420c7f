"""One tensor that does not fit, in an otherwise modest program: no leak, no container."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import tensorflow as tf


def pairwise(points: tf.Tensor) -> tf.Tensor:
    return tf.norm(points[:, None, :] - points[None, :, :], axis=-1)  # <- here


def run(count: int) -> None:
    for _ in range(3):
        print(float(tf.reduce_mean(pairwise(tf.random.normal([200, 8])))))
    print(float(tf.reduce_mean(pairwise(tf.random.normal([count, 8])))))  # <- here


def die() -> None:
    run(6000)


def spare() -> None:
    run(300)
