"""Memory rises fast to most of the limit and stays there: it dies only when it is asked for twice as much."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 200

import time


def hold(megabytes: int) -> int:
    blocks = {}
    for number in range(megabytes):
        blocks[number] = bytearray(b"x" * 1_000_000)  # <- here
        time.sleep(0.002)  # <- here
    time.sleep(0.3)
    return len(blocks)


def die() -> None:
    hold(400)


def spare() -> None:
    hold(140)
