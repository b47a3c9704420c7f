"""A check deep in the program decides to leave."""
# expect: exited-by-program PROVEN
# ending: 7

import sys


def check(count: int) -> None:
    if count < 3:
        print("too few files", file=sys.stderr)
        sys.exit(7)  # <- here


def die() -> None:
    check(1)


def spare() -> None:
    check(5)
    sys.exit(0)
