# needs: module numpy
"""Arrays through a pool of processes."""

import multiprocessing
import numpy


def total(array):
    return float(array.sum())


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(total, [numpy.ones((10, 10)) * n for n in range(4)]))
