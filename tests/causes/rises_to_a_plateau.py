"""Memory rises fast to most of the limit and stays there: dies only when it is asked for twice as much."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 200

import time


def hold(megabytes: int) -> int:
    block = bytearray(megabytes * 1_000_000)
    for start in range(0, len(block), 1_000_000):
        block[start : start + 1_000_000] = b"x" * 1_000_000  # <- here
        time.sleep(0.002)  # <- here
    time.sleep(0.3)
    return len(block)


def die() -> None:
    hold(400)


def spare() -> None:
    hold(140)
