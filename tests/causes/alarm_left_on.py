"""A guard timer that is not cancelled strikes later, somewhere innocent."""
# expect: alarm-not-cancelled PROVEN
# ending: SIGALRM

import signal
import time


def guarded(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)  # <- here


def innocent() -> None:
    time.sleep(30)


def die() -> None:
    guarded(0.5)
    innocent()


def spare() -> None:
    guarded(30)
    signal.setitimer(signal.ITIMER_REAL, 0)
