# status: 1
"""Repeated lines of a deep recursion are folded."""

import sys

sys.setrecursionlimit(300)


def down(n):
    return down(n + 1)


down(0)
