"""One second of CPU time, and a loop that needs more: SIGXCPU at the soft limit."""
# expect: cpu-time-limit PROVEN
# ending: SIGXCPU
# cpu: 1 10


def spin(turns: int) -> int:
    total = 0
    for number in range(turns):  # <- here
        total += number % 7  # <- here
    return total


def die() -> None:
    while True:
        spin(1_000_000)


def spare() -> None:
    spin(1000)
