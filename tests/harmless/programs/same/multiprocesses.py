# ci
"""Pools and processes of every kind give the same results, and the same traces of what failed."""

import concurrent.futures
import multiprocessing
import os
import sys


def double(number):
    return number * 2


def fail(text):
    raise ValueError(text)


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(double, range(10)))
            try:
                pool.apply(fail, ("in a pool",))
            except ValueError as error:
                print(type(error.__cause__).__name__, error)
        worker = context.Process(target=fail, args=("in a process",), name="worker")
        worker.start()
        worker.join()
        print(worker.exitcode, sorted(vars(worker)))
        quick = context.Process(target=os._exit, args=(3,))
        quick.start()
        quick.join()
        print(quick.exitcode)
        leaving = context.Process(target=sys.exit, args=("a reason",))
        leaving.start()
        leaving.join()
        print(leaving.exitcode)
        killed = context.Process(target=os.abort)
        killed.start()
        killed.join()
        print(killed.exitcode)
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        broken = pool.submit(os._exit, 1)
        print(type(broken.exception()).__name__)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        print(list(pool.map(double, range(5))), repr(pool.submit(fail, "future").exception()))
