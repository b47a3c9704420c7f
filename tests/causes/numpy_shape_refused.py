"""A shape that nobody meant; NumPy's error says size, shape and dtype."""
# expect: allocation-refused PROVEN
# ending: 1
# needs: tensorflow

import numpy as np


class Grid:
    def __init__(self, side: int) -> None:
        self.cells = np.zeros((side, side, side), np.float64) + 1.0  # <- here


def die() -> None:
    Grid(100_000)


def spare() -> None:
    Grid(10)
