"""A thread waits to take from a queue; the main thread closes the queue and cancels what is pending."""
# expect: operation-cancelled

import threading
import time

import tensorflow as tf

queue = tf.queue.FIFOQueue(2, [tf.float32], shapes=[[]])


def produce(values):
    for value in values:
        queue.enqueue(value)  # <- here


def consume(count):
    return sum(float(queue.dequeue()) for _ in range(count))


producer = threading.Thread(target=produce, args=([float(n) for n in range(10)],))
producer.start()
print("sum of the first five", consume(5))
time.sleep(1)
queue.close(cancel_pending_enqueues=True)  # <- here
producer.join()
