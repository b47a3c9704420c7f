# ci
# status: 1
"""The trace of an error that a future gives back."""

import concurrent.futures


def fail():
    raise ValueError("in the pool")


with concurrent.futures.ThreadPoolExecutor(1) as pool:
    pool.submit(fail).result()
