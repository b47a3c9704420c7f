"""Endless recursion through native code in a thread with an ordinary stack."""
# expect: stack-overflow PROVEN
# ending: SIGSEGV

import sys
import threading


def walk(node: int, end: int) -> int:
    if node == end:
        return 0
    return len(sorted([node + 1], key=lambda other: walk(other, end)))  # <- here


def die() -> None:
    sys.setrecursionlimit(10**7)
    walker = threading.Thread(target=walk, args=(0, 10**7))
    walker.start()
    walker.join()


def spare() -> None:
    walker = threading.Thread(target=walk, args=(0, 20))
    walker.start()
    walker.join()
