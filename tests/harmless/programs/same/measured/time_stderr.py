# measures: time
# slow
"""Lines on stderr."""

import os
import time

before = time.perf_counter()
for _ in range(50_000):
    os.write(2, b"a line of a log, as programs write them\n")
print("written")
print(time.perf_counter() - before)
