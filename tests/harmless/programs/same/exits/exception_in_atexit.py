"""An exception in a function at exit is printed, and the others are called."""

import atexit

atexit.register(print, "still called", flush=True)


def fail():
    raise ValueError("at exit")


atexit.register(fail)
