"""An executor of processes: order, chunks, time limits."""

import concurrent.futures
import multiprocessing


def square(n):
    return n * n


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(
        2, mp_context=multiprocessing.get_context("fork")
    ) as pool:
        print(list(pool.map(square, range(20), chunksize=4)))
        future = pool.submit(square, "x")
        print(
            type(future.exception()).__name__,
            future.exception(),
            type(future.exception().__cause__).__name__,
        )
