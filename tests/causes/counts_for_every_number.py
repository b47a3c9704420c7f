"""A table with a place for every possible number of a customer: it is asked for at once, and taken page by page as it is filled."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 300
# needs: numpy

import numpy as np


def counted(numbers: np.ndarray, days: int) -> np.ndarray:
    visits = np.zeros((int(numbers.max()) + 1, days), np.int32)  # <- here
    for day in range(days):
        visits[numbers, day] += 1
    return visits


def run(highest: int) -> None:
    numbers = np.random.default_rng(0).integers(0, highest, 3_000_000)
    print(counted(numbers, 40).sum())


def die() -> None:
    run(30_000_000)


def spare() -> None:
    run(1000)
