# measures: time
# slow
"""Futures of a pool of threads."""

import concurrent.futures
import time

before = time.perf_counter()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    futures = [pool.submit(int, n) for n in range(20_000)]
    print(sum(future.result() for future in futures))
print(time.perf_counter() - before)
