"""A scanner keeps one file of every camera's folder of every day open; no two of them lie in one folder, and what fails is another line."""
# expect: too-many-open-files PROVEN
# ending: 1
# open_files: 80

from pathlib import Path
from typing import BinaryIO


class Days:
    def __init__(self) -> None:
        self.streams: list[BinaryIO] = []

    def open(self, day: int) -> None:
        for camera in ("north", "south"):
            folder = Path(f"archive/day {day}/{camera}")
            folder.mkdir(parents=True)
            self.streams.append((folder / "index.bin").open("wb+"))  # <- here


def run(count: int) -> None:
    days = Days()
    for day in range(count):
        days.open(day)
        Path("progress.txt").write_text(str(day))


def die() -> None:
    run(100)


def spare() -> None:
    run(20)
