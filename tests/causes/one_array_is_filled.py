"""One line makes one array that does not fit: nothing leaks, however fast memory grows while it is filled."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 400

import numpy as np


def weights(rows: int) -> "np.ndarray":
    base = np.arange(1000, dtype=np.float64) + 0.123456789
    return np.outer(np.ones(rows), base)  # <- here


def die() -> None:
    weights(200_000)


def spare() -> None:
    weights(2_000)
