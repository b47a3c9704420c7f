"""The program itself asserts that its loss is finite."""
# expect: not-finite LIKELY
# ending: 1
# needs: tensorflow

import numpy as np


def descend(rate: float) -> np.ndarray:
    position = np.full(3, 2.0)
    with np.errstate(all="ignore"):
        for _ in range(400):
            position = position - rate * position**3
    return position


def run(rate: float) -> None:
    loss = descend(rate)
    assert np.isfinite(loss).all()  # <- here
    print(loss)


def die() -> None:
    run(5.0)


def spare() -> None:
    run(0.01)
