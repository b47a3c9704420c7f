"""The last line leaves by os._exit(0), to be done quickly: the results are still in the buffer of their file."""
# expect: exited-without-cleanup PROVEN
# ending: 0

import os


class Results:
    def __init__(self, path: str) -> None:
        self.file = open(path, "w")  # noqa: SIM115  # as people do

    def add(self, name: str, score: float) -> None:
        self.file.write(f"{name},{score}\n")


def run(close: bool) -> None:
    results = Results("results.csv")
    for number in range(40):
        results.add(f"photo-{number}.jpg", number / 40)
    if close:
        results.file.close()
    os._exit(0)  # <- here


def die() -> None:
    run(close=False)


def spare() -> None:
    run(close=True)
