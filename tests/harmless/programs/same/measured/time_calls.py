# measures: time
# slow
"""Calls of functions."""

import time


def add(a, b):
    return a + b


before = time.perf_counter()
total = 0
for n in range(2_000_000):
    total = add(total, n)
print(total)
print(time.perf_counter() - before)
