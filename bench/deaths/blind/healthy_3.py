"""A cache of feature maps fills up to its limit and stays there."""
# expect: nothing
# memory: 1200

import collections

import tensorflow as tf


class Cache:
    def __init__(self, limit):
        self.limit = limit
        self.maps = collections.OrderedDict()

    def get(self, key):
        if key not in self.maps:
            self.maps[key] = tf.random.uniform([512, 1024])
            if len(self.maps) > self.limit:
                self.maps.popitem(last=False)
        return self.maps[key]


cache = Cache(100)
total = 0.0
for n in range(600):
    total += float(tf.reduce_mean(cache.get(n % 250)))
print("total", total)
