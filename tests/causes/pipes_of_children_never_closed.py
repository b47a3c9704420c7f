"""A child is started for each picture, and its pipes are never closed."""
# expect: too-many-open-files PROVEN
# ending: 1
# open_files: 90

import subprocess


def convert(started: list[subprocess.Popen[bytes]]) -> None:
    child = subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # <- here
    started.append(child)


def run(count: int) -> None:
    started: list[subprocess.Popen[bytes]] = []
    for _ in range(count):
        convert(started)
    for child in started:
        child.communicate()


def die() -> None:
    run(100)


def spare() -> None:
    run(3)
