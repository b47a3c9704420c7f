"""Batches go to the workers through shared memory; the container has 16 MB of /dev/shm."""
# expect: shared-memory-full
# in_memory: /dev/shm 16

from multiprocessing import shared_memory

import numpy as np


class SharedBatch:
    def __init__(self, shape, dtype=np.float32):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.memory = shared_memory.SharedMemory(create=True, size=size)  # <- here
        self.array = np.ndarray(shape, dtype, buffer=self.memory.buf)

    def close(self):
        self.array = None
        self.memory.close()
        self.memory.unlink()


def produce(batches, size):
    ring = []
    rng = np.random.default_rng(0)
    for n in range(batches):
        batch = SharedBatch((size, 128, 128, 3))  # <- here
        batch.array[:] = rng.random(batch.array.shape, dtype=np.float32)  # <- here
        ring.append(batch)
        print("batch", n, float(batch.array.mean()), flush=True)
    return ring


for batch in produce(8, 32):
    batch.close()
