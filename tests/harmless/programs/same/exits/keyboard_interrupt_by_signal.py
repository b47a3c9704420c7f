# ci
# status: SIGINT
"""Ctrl-C that the program sends to itself: the trace has its frames alone."""

import os
import signal


def work():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass


work()
