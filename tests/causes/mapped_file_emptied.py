"""A file is mapped, and opened for writing somewhere else: that empties it at once."""
# expect: mapped-file-truncated PROVEN
# ending: SIGBUS

import mmap
import subprocess
import sys


def last_byte(mode: str) -> int:
    with open("log.bin", "wb") as file:
        file.write(bytes(100_000))
    with open("log.bin", "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    subprocess.run([sys.executable, "-c", f"open('log.bin', {mode!r})"], check=True)
    return view[99_999]  # <- here


def die() -> None:
    last_byte("wb")


def spare() -> None:
    last_byte("ab")
