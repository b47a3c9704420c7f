"""One large table, computed with again and again at the same size; the limit is that of the group above, which a neighbour fills."""
# expect: neighbour-filled-memory PROVEN
# ending: SIGKILL
# memory: 300
# ancestor: yes
# neighbour: 200

import os

import numpy as np


def work(size: int, rounds: int) -> float:
    table = np.ones((size, 1_000_000))
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    total = 0.0
    for number in range(rounds):
        table[number % size] *= 1.0001
        total = float(table[0, 0])
    return total


def die() -> None:
    work(20, 10_000_000)


def spare() -> None:
    work(2, 100)
