"""A queue is closed with pending work on purpose; the worker expects the cancellation and ends."""
# expect: nothing

import threading
import time

import tensorflow as tf

queue = tf.queue.FIFOQueue(4, [tf.int32], shapes=[[]])
taken = []


def worker():
    while True:
        try:
            taken.append(int(queue.dequeue()))
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
            return


thread = threading.Thread(target=worker)
thread.start()
for n in range(6):
    queue.enqueue(n)
time.sleep(0.5)
queue.close()
thread.join()
print("taken", taken)
