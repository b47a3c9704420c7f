"""A loop keeps everything it makes, until the cgroup is full."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 200

import time

PIECE = 2_000_000


def make(number: int) -> bytearray:
    return bytearray(number.to_bytes(4, "little") * (PIECE // 4))


def keep(count: int) -> int:
    kept = []
    for number in range(count):
        kept.append(make(number))  # <- here
        time.sleep(0.001)
    return len(kept)


def die() -> None:
    keep(400)


def spare() -> None:
    keep(40)
