"""Bytes divided by a number: the array of doubles does not fit the address space, and is refused before it exists."""
# expect: widened-dtype LIKELY
# ending: 1
# address_space: 4000
# needs: tensorflow

import numpy as np


def scaled(pictures: np.ndarray) -> np.ndarray:
    return (pictures - pictures.mean()) / 255.0  # <- here


def die() -> None:
    scaled(np.zeros((700, 500, 500, 3), np.uint8))


def spare() -> None:
    scaled(np.zeros((7, 500, 500, 3), np.uint8))
