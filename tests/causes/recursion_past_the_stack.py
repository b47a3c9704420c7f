"""The recursion limit was raised far beyond what the stack holds."""
# expect: stack-overflow PROVEN
# ending: SIGSEGV

import sys


def deeper(depth: int, end: int) -> list:
    if depth == end:
        return []
    return sorted([depth], key=lambda value: deeper(value + 1, end))  # <- here


def die() -> None:
    sys.setrecursionlimit(10**7)
    deeper(0, 10**7)


def spare() -> None:
    deeper(0, 20)
