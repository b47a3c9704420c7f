"""NumPy puts sequences of different lengths together."""
# expect: shape-mismatch PROVEN
# ending: 1
# needs: tensorflow

import numpy as np


class Collector:
    def __init__(self) -> None:
        self.rows: list[np.ndarray] = []

    def add(self, length: int) -> None:
        self.rows.append(np.zeros(length, np.float32))

    def table(self) -> np.ndarray:
        return np.stack(self.rows)  # <- here


def run(lengths: list[int]) -> None:
    collector = Collector()
    for length in lengths:
        collector.add(length)
    print(collector.table().shape)


def die() -> None:
    run([7, 7, 9])


def spare() -> None:
    run([7, 7, 7])
