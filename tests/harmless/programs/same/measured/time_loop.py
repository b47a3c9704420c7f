# measures: time
# slow
"""A loop of plain Python."""

import time

before = time.perf_counter()
total = 0
for n in range(6_000_000):
    total += n
print(total)
print(time.perf_counter() - before)
