"""A pool of children of a server."""

import multiprocessing


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("forkserver").Pool(2) as pool:
        print(pool.map(square, range(10)))
