"""The signal of a timer, which the program sent to itself: no timer was set."""
# expect: terminated-by-process PROVEN
# ending: SIGALRM

import os
import signal


def end(number: int) -> None:
    os.kill(os.getpid(), number)  # <- here


def die() -> None:
    end(signal.SIGALRM)


def spare() -> None:
    end(0)
