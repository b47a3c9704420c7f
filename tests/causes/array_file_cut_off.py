"""A .npy file that a killed job left half written, loaded in a worker thread of a pool."""
# expect: corrupt-record PROVEN
# ending: 1
# needs: tensorflow
# names: features_1.npy

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np


def load(path: Path) -> float:
    return float(np.load(path).mean())  # <- here


def run(cut: bool) -> None:
    paths = [Path(f"features_{number}.npy") for number in range(3)]
    for path in paths:
        np.save(path, np.ones((50, 8)))
    if cut:
        paths[1].write_bytes(paths[1].read_bytes()[:1000])
    with ThreadPoolExecutor(2) as pool:
        print(sum(pool.map(load, paths)))


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
