"""A generator writes its rows to a file; the error of a plain write names no file, and is raised again as another one."""
# expect: disk-full LIKELY
# ending: 1
# disk: size=2m

import os
from collections.abc import Iterator


class CannotGoOn(Exception):
    pass


def rows(count: int) -> Iterator[int]:
    with open("disk/rows.log", "w") as log:
        for number in range(count):
            log.write(f"{number}\n" * 1000)  # <- here
            log.flush()  # <- here
            os.fsync(log.fileno())
            yield number


def run(count: int) -> None:
    try:
        for _ in rows(count):
            pass
    except OSError:
        raise CannotGoOn("the log could not be kept")  # noqa: B904


def die() -> None:
    run(10_000)


def spare() -> None:
    run(10)
