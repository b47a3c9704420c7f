# status: 1
"""sys.tracebacklimit is obeyed."""

import sys

sys.tracebacklimit = 1


def a():
    b()


def b():
    raise ValueError("short")


a()
