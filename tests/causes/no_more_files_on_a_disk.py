"""One small file for each record: the file system runs out of files, not of bytes."""
# expect: disk-full PROVEN
# ending: 1
# disk: size=64m,nr_inodes=40

import json


def store(number: int) -> None:
    with open(f"disk/{number:05}.json", "w") as file:  # <- here
        json.dump({"number": number}, file)


def die() -> None:
    for number in range(100):
        store(number)


def spare() -> None:
    for number in range(10):
        store(number)
