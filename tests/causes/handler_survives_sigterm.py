"""A program that handles SIGTERM, cleans up and fails later with an exception of its own."""
# expect: uncaught-exception PROVEN
# ending: 1

import os
import signal


def run() -> list[int]:
    got: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: got.append(number))
    os.kill(os.getpid(), signal.SIGTERM)
    return got


def die() -> None:
    raise KeyError(run()[0])  # <- here


def spare() -> None:
    assert run() == [signal.SIGTERM]
