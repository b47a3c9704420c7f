"""A scratch file is made shorter while it is mapped, and removed at once: nobody can look afterwards how long it was when it was read."""
# expect: mapped-file-truncated LIKELY
# ending: SIGBUS

import mmap
import os

LENGTH = 100_000


def last_byte(kept: int) -> int:
    with open("scratch.bin", "w+b") as file:
        file.write(bytes(LENGTH))
        file.flush()
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.truncate(kept)
    os.unlink("scratch.bin")
    return view[LENGTH - 1]  # <- here


def die() -> None:
    last_byte(10)


def spare() -> None:
    last_byte(LENGTH)
