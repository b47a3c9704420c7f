"""An evaluation loop keeps every step's features in a list of the module; the memory is TensorFlow's, not Python's."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import tensorflow as tf

kept = []


def features(step: int) -> dict:
    picture = tf.random.uniform([16, 64, 64, 8])
    return {"step": step, "features": picture * 2.0}


def evaluate(step: int, keep: bool) -> float:
    found = features(step)
    if keep or step < 5:
        kept.append(found)  # <- here
    return float(tf.reduce_mean(found["features"]))


def die() -> None:
    for step in range(5000):
        evaluate(step, True)


def spare() -> None:
    for step in range(50):
        evaluate(step, False)
