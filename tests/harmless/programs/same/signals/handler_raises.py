"""An exception of a handler is caught where the signal came."""

import os
import signal


def handler(number, frame):
    raise TimeoutError("by a handler")


signal.signal(signal.SIGALRM, handler)
for _ in range(20):
    try:
        os.kill(os.getpid(), signal.SIGALRM)
        for _ in range(1000):
            pass
    except TimeoutError as error:
        print(error)
