"""Threads get a stack of 32 KB 'to save memory'; the first call of a tf.function in them does not fit."""
# expect: thread-stack-too-small

import queue
import threading

import numpy as np
import tensorflow as tf

threading.stack_size(32 * 1024)  # <- here
jobs = queue.Queue()
results = {}


@tf.function
def classify(rows):
    logits = tf.nn.relu(rows @ tf.ones([16, 32])) @ tf.ones([32, 4])
    return tf.argmax(tf.nn.softmax(logits), axis=1)


def worker():
    while (job := jobs.get()) is not None:
        number, rows = job
        results[number] = classify(tf.constant(rows)).numpy()  # <- here


threads = [threading.Thread(target=worker) for _ in range(2)]
for thread in threads:
    thread.start()
for number in range(6):
    jobs.put((number, np.full((3, 16), number, np.float32)))
for _ in threads:
    jobs.put(None)
for thread in threads:
    thread.join()
print(len(results), "classified")
