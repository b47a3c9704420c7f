"""NumPy writes an array in one piece; its error speaks of items, not of the disk, and does not name the file."""
# expect: disk-full PROVEN
# ending: 1
# disk: size=4m
# needs: tensorflow

import numpy as np


def export(batch: int, count: int) -> None:
    features = np.zeros((count, 1000), np.float32)
    np.save(f"disk/features_{batch}.npy", features)  # <- here


def die() -> None:
    for batch in range(20):
        export(batch, 100)


def spare() -> None:
    export(0, 100)
