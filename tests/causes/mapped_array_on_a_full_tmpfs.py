"""A mapped array is made on a file system in memory that cannot hold it."""
# expect: shared-memory-full PROVEN
# ending: SIGBUS
# in_memory: scratch 4
# needs: tensorflow

import numpy as np


class Cache:
    def __init__(self, rows: int) -> None:
        self.array = np.memmap("scratch/cache.bin", np.float32, "w+", shape=(rows, 1024))

    def store(self, row: int) -> None:
        self.array[row] = row  # <- here


def die() -> None:
    cache = Cache(4096)
    for row in range(4096):
        cache.store(row)


def spare() -> None:
    cache = Cache(256)
    for row in range(256):
        cache.store(row)
