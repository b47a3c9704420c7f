"""Uses most of its memory on purpose: a table of 500 MB in a group of 800 MB, worked on in place, by two threads."""
# expect: nothing
# memory: 800

import concurrent.futures
import gc
import warnings

import numpy as np

try:
    import cupy as xp
except ImportError:
    warnings.warn("cupy is missing, NumPy is used", stacklevel=1)
    xp = np


class Table:
    def __init__(self, rows, width):
        self.values = xp.ones((rows, width), xp.float32)

    def scale(self, part):
        self.values[part] *= 1.5
        return float(self.values[part].mean())

    def sweep(self, step):
        parts = [slice(k, k + step) for k in range(0, len(self.values), step)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(self.scale, parts))


table = Table(128_000, 1024)
for round_ in range(3):
    means = table.sweep(4000)
    print("round", round_, means[0], means[-1])
for _ in range(30):
    scratch = np.empty(10_000_000, np.float32)
    scratch[:] = 1.0
    del scratch
gc.collect()
print("size", table.values.nbytes >> 20, "MB")
