# status: 1
"""A hook that fails itself: both are printed."""

import sys


def hook(*_):
    raise RuntimeError("in the hook")


sys.excepthook = hook
raise ValueError("first")
