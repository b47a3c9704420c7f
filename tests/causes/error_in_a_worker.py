"""A pool's worker fails; the line is in the worker, the exception arrives in the parent as text."""
# expect: uncaught-exception PROVEN
# ending: 1

import multiprocessing


def invert(number: int) -> float:
    return 1 / number  # <- here


def run(numbers: list[int]) -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(invert, numbers))


def die() -> None:
    run([1, 2, 0])


def spare() -> None:
    run([1, 2])
