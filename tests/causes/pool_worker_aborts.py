"""A worker of a multiprocessing pool calls ``os.abort``; the pool starts another one, and the parent waits for ever."""
# expect: exited-without-cleanup PROVEN
# ending: hang
# hang_after: 2

import multiprocessing
import os


class Checker:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, number: int) -> int:
        if number > self.limit:
            os.abort()  # <- here
        return number


def run(limit: int) -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(Checker(limit), range(4)))


def die() -> None:
    run(2)


def spare() -> None:
    run(9)
