"""The program raises the signal of a failed check by itself: no native code is at fault."""
# expect: terminated-by-process PROVEN
# ending: SIGABRT

import signal


class Watchdog:
    def bite(self, number: int) -> None:
        signal.raise_signal(number)  # <- here


def die() -> None:
    Watchdog().bite(signal.SIGABRT)


def spare() -> None:
    Watchdog().bite(signal.SIGCHLD)
