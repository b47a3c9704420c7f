"""Memory rises fast to most of the limit and stays there: it dies only when it is asked for twice as much."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 200

import time


def hold(megabytes: int) -> int:
    block = bytearray()
    for _ in range(megabytes):
        block += b"x" * 1_000_000  # <- here
        time.sleep(0.002)  # <- here
    time.sleep(0.3)
    return len(block)


def die() -> None:
    hold(400)


def spare() -> None:
    hold(140)
