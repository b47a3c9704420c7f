"""Two threads take the lock of the model and the lock of the metrics in opposite order."""
# expect: deadlocked
# hang: 3

import threading
import time

import tensorflow as tf

model_lock = threading.Lock()
metrics_lock = threading.Lock()
weights = tf.Variable(tf.zeros([4]))
metrics = {"steps": 0}


def train(steps):
    for _ in range(steps):
        with model_lock:
            weights.assign_add(tf.ones([4]))
            time.sleep(0.05)
            with metrics_lock:  # <- here
                metrics["steps"] += 1


def report(times):
    for _ in range(times):
        with metrics_lock:
            time.sleep(0.05)
            with model_lock:  # <- here
                print(metrics["steps"], float(tf.reduce_sum(weights)))


threads = [threading.Thread(target=train, args=(50,)), threading.Thread(target=report, args=(50,))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
