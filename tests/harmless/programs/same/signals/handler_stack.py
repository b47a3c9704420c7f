# ci
"""The stack that a handler sees has the program's functions alone."""

import os
import signal
import traceback


def handler(number, frame):
    print(
        [f.name for f in traceback.extract_stack(frame)],
        [f.name for f in traceback.extract_stack()],
    )


def work():
    os.kill(os.getpid(), signal.SIGUSR1)


signal.signal(signal.SIGUSR1, handler)
work()
