# ci
# status: 1
"""The trace of what a handler raises during os.kill."""

import os
import signal


def handler(number, frame):
    raise TimeoutError("by a handler")


signal.signal(signal.SIGUSR1, handler)


def work():
    os.kill(os.getpid(), signal.SIGUSR1)


work()
