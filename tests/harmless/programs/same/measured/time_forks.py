# measures: time
# slow
"""300 forks."""

import os
import time

before = time.perf_counter()
for _ in range(300):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
print("forked")
print(time.perf_counter() - before)
