"""The parent kills its own worker and then fails: the worker did not run out of memory."""
# expect: uncaught-exception PROVEN
# ending: 1

import multiprocessing
import time


def sleep() -> None:
    time.sleep(60)


def run() -> int:
    worker = multiprocessing.get_context("fork").Process(target=sleep)
    worker.start()
    worker.kill()
    worker.join()
    return worker.exitcode or 0


def die() -> None:
    raise RuntimeError(f"the worker ended with {run()}")  # <- here


def spare() -> None:
    run()
