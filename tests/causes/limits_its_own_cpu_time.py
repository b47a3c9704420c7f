"""A program limits its own CPU time, soft and hard alike: the kernel kills it without SIGXCPU, and nobody sent that SIGKILL."""
# expect: cpu-time-limit PROVEN
# ending: SIGKILL

import resource


def spin() -> int:
    total = 0
    for number in range(1_000_000):  # <- here
        total += number % 7  # <- here
    return total


def die() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        spin()


def spare() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    spin()
