# status: 1
"""The trace of an error in a pool has the worker's text and the parent's frames."""

import multiprocessing


def fail(n):
    raise ValueError(f"no {n}")


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(fail, [3])
