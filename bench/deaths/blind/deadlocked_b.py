"""A method that holds the lock of the store calls another that takes the same lock, which is not reentrant."""
# expect: deadlocked
# hang: 3

import threading

import tensorflow as tf


class FeatureStore:
    def __init__(self, limit):
        self._lock = threading.Lock()
        self._rows = {}
        self._limit = limit

    def size(self):
        with self._lock:  # <- here
            return len(self._rows)

    def add(self, key, row):
        with self._lock:
            self._rows[key] = row
            if self.size() > self._limit:  # <- here
                self._rows.pop(next(iter(self._rows)))


store = FeatureStore(3)
for n in range(6):
    store.add(n, tf.random.normal([8]))
print("kept", store.size())
