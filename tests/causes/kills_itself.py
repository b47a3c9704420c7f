"""A program that sends SIGKILL to itself: nobody else is to blame."""
# expect: killed-by-process PROVEN
# ending: SIGKILL

import os
import signal


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)  # <- here


def die() -> None:
    end()


def spare() -> None:
    os.kill(os.getpid(), 0)
