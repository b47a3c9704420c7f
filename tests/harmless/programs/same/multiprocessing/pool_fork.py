"""map, imap, starmap, apply_async of a pool."""

import multiprocessing
import operator


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(
            pool.map(square, range(10)),
            list(pool.imap(square, range(5))),
            pool.starmap(operator.add, [(1, 2), (3, 4)]),
        )
        result = pool.apply_async(square, (7,))
        print(result.get(20), result.ready(), result.successful())
