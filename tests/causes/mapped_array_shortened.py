"""Another process writes a data file anew in place while it is mapped."""
# expect: mapped-file-truncated PROVEN
# ending: SIGBUS
# needs: tensorflow

import subprocess

import numpy as np


def rows(path: str):
    data = np.memmap(path, np.float32, "r", shape=(1000, 1024))
    for row in range(1000):
        yield float(data[row].sum())  # <- here


def work(writer: list) -> None:
    np.ones((1000, 1024), np.float32).tofile("data.bin")
    total = 0.0
    for number, value in enumerate(rows("data.bin")):
        if number == 500:
            subprocess.run(writer, check=True)
        total += value
    print(total)


def die() -> None:
    work(["truncate", "-s", "1000000", "data.bin"])


def spare() -> None:
    work(["touch", "data.bin"])
