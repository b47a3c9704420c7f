"""A program that waits for its user is not stuck."""
# expect: nothing
# ending: hang
# hang_after: 2

import sys


def die() -> None:
    print(sys.stdin.readline())


def spare() -> None:
    print("no question")
