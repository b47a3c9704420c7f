"""The main thread waits for a lock that it holds; at Ctrl-C it tidies up for a while and leaves with a status of its own."""
# expect: deadlocked PROVEN
# ending: hang
# hang_after: 2
# ended_by: SIGINT 130

import sys
import threading
import time

TIDYING_SECONDS = 1.0


def tidy() -> int:
    rounds, until = 0, time.monotonic() + TIDYING_SECONDS
    while time.monotonic() < until:
        rounds += 1
    return rounds


def run(again: bool) -> None:
    lock = threading.Lock()
    lock.acquire()
    try:
        if again:
            lock.acquire()  # <- here
    except KeyboardInterrupt:
        print(tidy())
        sys.exit(130)


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
