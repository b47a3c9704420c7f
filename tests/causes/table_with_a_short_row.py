"""A row of a table lost a field; NumPy names the row."""
# expect: record-schema-mismatch PROVEN
# ending: 1
# needs: tensorflow

from pathlib import Path

import numpy as np


def run(text: str) -> None:
    Path("table.csv").write_text(text)
    table = np.loadtxt("table.csv", delimiter=",")  # <- here
    print(table.shape)


def die() -> None:
    run("1,2,3\n4,5,6\n7,8\n")


def spare() -> None:
    run("1,2,3\n4,5,6\n7,8,9\n")
