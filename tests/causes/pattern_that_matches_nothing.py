"""The pictures end in .jpeg, the pattern in .jpg; the empty list fails later, with other words."""
# expect: missing-file LIKELY
# ending: 1
# needs: tensorflow

import glob
from pathlib import Path

import numpy as np


def sizes(ending: str) -> np.ndarray:
    files = sorted(glob.glob(f"album/*{ending}"))  # <- here
    return np.stack([np.array([Path(name).stat().st_size]) for name in files])


def run(ending: str) -> None:
    Path("album").mkdir()
    Path("album/one.jpeg").write_bytes(b"x")
    print(sizes(ending).max())


def die() -> None:
    run(".jpg")


def spare() -> None:
    run(".jpeg")
