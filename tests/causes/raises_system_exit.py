"""``raise SystemExit`` in a function; other lines of the program raise it with other statuses."""
# expect: exited-by-program LIKELY
# ending: 4

import sys


def check(rows: int) -> None:
    if rows < 0:
        raise SystemExit(3)
    if rows == 0:
        raise SystemExit(4)  # <- here
    if rows > 1_000_000:
        raise SystemExit("too many rows")


def die() -> None:
    check(0)


def spare() -> None:
    check(1)
    sys.exit(0)
