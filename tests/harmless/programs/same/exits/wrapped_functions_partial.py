# status: 4
"""Partial and methodcaller see the same functions."""

import functools
import operator
import os
import sys

print(
    functools.partial(os.kill, os.getpid())(0),
    operator.methodcaller("getpid")(os) == os.getpid(),
    flush=True,
)
functools.partial(sys.exit, 4)()
