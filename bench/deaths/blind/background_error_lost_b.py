"""A loader thread dies of a bad row; the main thread trains on what came until then and ends as if all were well."""
# expect: background-error-lost

import queue
import threading

import tensorflow as tf

ROWS = ["1,2,3", "4,5,6", "7,n/a,9", "10,11,12"]
batches = queue.Queue()


def load():
    for row in ROWS:
        values = [float(cell) for cell in row.split(",")]  # <- here
        batches.put(tf.constant(values))


def train(w):
    while True:
        try:
            batch = batches.get(timeout=1.0)
        except queue.Empty:
            return
        w.assign_add(batch)


loader = threading.Thread(target=load, daemon=True)  # <- here
loader.start()
weights = tf.Variable(tf.zeros([3]))
train(weights)
print("trained", weights.numpy())
