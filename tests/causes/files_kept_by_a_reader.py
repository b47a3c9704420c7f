"""A reader keeps every file open in its index; what fails is another line, that opens something else."""
# expect: too-many-open-files PROVEN
# ending: 1
# open_files: 80

from pathlib import Path
from typing import BinaryIO


class Reader:
    def __init__(self) -> None:
        self.index: dict[int, BinaryIO] = {}

    def look(self, number: int) -> bytes:
        shard = open(f"shards/{number:03}.rec", "rb")  # noqa: SIM115  # <- here
        self.index[number] = shard
        return shard.read(4)


def run(count: int) -> None:
    Path("shards").mkdir()
    for number in range(count):
        Path(f"shards/{number:03}.rec").write_bytes(b"data")
    reader = Reader()
    for number in range(count):
        reader.look(number)
        Path("progress.txt").write_text(str(number))


def die() -> None:
    run(200)


def spare() -> None:
    run(20)
