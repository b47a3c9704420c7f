"""The batch that does not fit is refused, caught, and made smaller until it fits."""
# expect: nothing

import tensorflow as tf


class BatchFinder:
    def __init__(self, width):
        self.width = width
        self.refused = []

    def attempt(self, batch):
        x = tf.zeros([batch, self.width])
        return float(tf.reduce_sum(tf.nn.relu(x + 1.0)))

    def find(self, batch):
        while batch:
            try:
                return batch, self.attempt(batch)
            except (tf.errors.ResourceExhaustedError, MemoryError) as error:
                self.refused.append(batch)
                print("does not fit:", batch, type(error).__name__)
                batch //= 8192
        raise SystemExit("no batch fits")


finder = BatchFinder(1 << 14)
batch, total = finder.find(1 << 24)
print("batch", batch, "total", total, "refused", finder.refused)
