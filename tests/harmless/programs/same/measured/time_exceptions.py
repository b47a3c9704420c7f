# measures: time
# slow
"""Errors that are raised and caught."""

import time

before = time.perf_counter()
count = 0
for n in range(600_000):
    try:
        raise ValueError(n)
    except ValueError:
        count += 1
print(count)
print(time.perf_counter() - before)
