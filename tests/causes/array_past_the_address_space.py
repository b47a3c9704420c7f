"""ulimit -v again; this time the error tells how much was asked for."""
# expect: address-space-limit PROVEN
# ending: 1
# address_space: 4000
# needs: tensorflow

import numpy as np


def window(megabytes: int) -> np.ndarray:
    return np.ones((megabytes, 1_000_000), np.uint8)  # <- here


def die() -> None:
    window(6000)


def spare() -> None:
    window(10)
