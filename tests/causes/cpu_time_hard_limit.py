"""A program that ignores SIGXCPU is killed at the hard limit: SIGKILL, by the kernel, and not for memory."""
# expect: cpu-time-limit PROVEN
# ending: SIGKILL
# cpu: 1 2

import signal


def spin() -> int:
    total = 0
    for number in range(1_000_000):  # <- here
        total += number % 7  # <- here
    return total


def die() -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        spin()


def spare() -> None:
    spin()
