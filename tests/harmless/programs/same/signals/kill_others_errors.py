"""Signals to nobody and to forbidden numbers."""

import os

for pid, number in ((2**22 + 5, 0), (os.getpid(), 0), (os.getpid(), 99)):
    try:
        print(os.kill(pid, number))
    except OSError as error:
        print(type(error).__name__, error.errno)
