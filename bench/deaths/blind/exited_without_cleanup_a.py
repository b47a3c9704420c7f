"""A watchdog thread ends the process with os._exit() because a step takes longer than it likes."""
# expect: exited-without-cleanup

import os
import threading
import time

import tensorflow as tf


class Watchdog(threading.Thread):
    def __init__(self, limit):
        super().__init__(daemon=True)
        self.limit = limit
        self.fed = time.monotonic()

    def feed(self):
        self.fed = time.monotonic()

    def run(self):
        while True:
            time.sleep(0.1)
            if time.monotonic() - self.fed > self.limit:
                os._exit(4)  # <- here


dog = Watchdog(1.0)
dog.start()
for step in range(5):
    dog.feed()
    time.sleep(0.2 if step < 3 else 2.0)
    print(step, float(tf.reduce_sum(tf.random.normal([100, 100]))))
