"""The login node allows each program 4 GB of address space; the embedding table of the recommender does not fit."""
# expect: address-space-limit
# address_space: 4000

import numpy as np
import tensorflow as tf


class Recommender(tf.Module):
    def __init__(self, users, items, width):
        self.users = self._table("users", users, width)
        self.items = self._table("items", items, width)

    def _table(self, name, rows, width):
        start = np.zeros((rows, width), np.float32)  # <- here
        start[:, 0] = 1.0
        return tf.Variable(start, name=name)  # <- here

    def score(self, user, item):
        return tf.reduce_sum(tf.gather(self.users, user) * tf.gather(self.items, item), axis=1)


def main():
    small = Recommender(1000, 500, 16)
    print("warm up", small.score([1, 2], [3, 4]).numpy())
    model = Recommender(3_000_000, 2_500_000, 128)  # <- here
    print(model.score([7, 8], [5, 9]).numpy())


main()
