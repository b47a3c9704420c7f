"""A watchdog cancels the evaluation after a second; the evaluation is still running."""
# expect: operation-cancelled

import threading

import tensorflow as tf
from tensorflow.python.eager import cancellation


@tf.function
def evaluate(n):
    x = tf.random.uniform([200, 200])
    for _ in tf.range(n):
        x = tf.linalg.l2_normalize(x @ x)
    return tf.reduce_sum(x)


manager = cancellation.CancellationManager()
ready = manager.get_cancelable_function(evaluate.get_concrete_function(tf.TensorSpec([], tf.int32)))


def watchdog(seconds):
    timer = threading.Timer(seconds, manager.start_cancel)  # <- here
    timer.daemon = True
    timer.start()


watchdog(1.0)
print("score", float(ready(tf.constant(10_000_000))))  # <- here
