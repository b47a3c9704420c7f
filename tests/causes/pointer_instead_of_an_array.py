"""The repository was cloned without Git LFS: NumPy takes the pointer for pickled objects, and the file's name stands only on the line."""
# expect: corrupt-record PROVEN
# ending: 1
# names: table.npy

from pathlib import Path

import numpy as np

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:77ab1c02\nsize 80128\n"


def rows() -> int:
    return len(np.load("table.npy"))  # <- here


def die() -> None:
    Path("table.npy").write_text(POINTER)
    print(rows())


def spare() -> None:
    np.save("table.npy", np.zeros(3))
    print(rows())
