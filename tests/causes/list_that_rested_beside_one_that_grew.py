"""A list was filled long before, and rests; then another process in the group fills what is left of the limit."""
# expect: neighbour-filled-memory PROVEN
# ending: SIGKILL
# memory: 300
# neighbour: 200

import os
import time

PIECE = 2_000_000


def keep(count: int) -> list[bytearray]:
    kept = []
    for number in range(count):
        kept.append(bytearray(number.to_bytes(4, "little") * (PIECE // 4)))
        time.sleep(0.001)
    return kept


def run(count: int, wait: float) -> int:
    kept = keep(count)
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    time.sleep(wait)
    return len(kept)


def die() -> None:
    run(90, 60.0)


def spare() -> None:
    run(9, 0.0)
