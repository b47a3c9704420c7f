"""An executor tells that a worker died, and by what it is broken."""

import concurrent.futures
import multiprocessing
import os

if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("fork")
    ) as pool:
        future = pool.submit(os._exit, 3)
        print(type(future.exception(20)).__name__, future.exception(), future.done())
