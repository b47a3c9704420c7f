# measures: time
# slow
"""A pool of processes and its work."""

import multiprocessing
import time


def square(n):
    return n * n


if __name__ == "__main__":
    before = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(4) as pool:
        print(sum(pool.map(square, range(20_000), chunksize=50)))
    print(time.perf_counter() - before)
