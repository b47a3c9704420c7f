# status: 0
"""Ctrl-C in a function at exit."""

import atexit
import os
import signal


def late():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    except KeyboardInterrupt:
        print("at exit", flush=True)


atexit.register(late)
