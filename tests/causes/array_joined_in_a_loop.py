"""A bank of features is made anew, one batch longer, at every step: the old array and the new one must fit at once."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 250

import time

import numpy as np


class Bank:
    def __init__(self) -> None:
        self.features = np.zeros((0, 50_000), np.float32)

    def take(self, batch: np.ndarray) -> None:
        self.features = np.append(self.features, batch, axis=0)  # <- here


def run(steps: int) -> None:
    bank = Bank()
    for step in range(steps):
        bank.take(np.full((3, 50_000), step, np.float32))
        time.sleep(0.02)
    print(bank.features.shape)


def die() -> None:
    run(1200)


def spare() -> None:
    run(20)
