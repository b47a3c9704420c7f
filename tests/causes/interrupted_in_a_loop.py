"""SIGINT becomes KeyboardInterrupt at the line that runs."""
# expect: interrupted PROVEN
# ending: SIGINT
# send: SIGINT

import os
import time


def work(seconds: float) -> int:
    until = time.monotonic() + seconds
    turns = 0
    while time.monotonic() < until:  # <- here
        turns += 1  # <- here
    return turns


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())  # <- here
    work(60)  # <- here


def spare() -> None:
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        work(0.01)
