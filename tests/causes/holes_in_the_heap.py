"""Of many short texts every tenth is kept; the longer ones that come next fit into none of the holes."""
# expect: fragmented-heap PROVEN
# ending: SIGKILL
# memory: 300

import time

ROUND_BYTES = 190_000_000
KEPT = 10


def survivors(length: int, total: int) -> list:
    made = []
    for number in range(total // length):
        made.append(bytearray(number.to_bytes(4, "big") * (length // 4)))  # <- here
    return made[::KEPT]


def run(total: int) -> None:
    kept = []
    for length in (2_000, 30_000):
        kept.append(survivors(length, total))  # <- here
        for _ in range(40):
            time.sleep(0.02)
    print(len(kept))


def die() -> None:
    run(ROUND_BYTES)


def spare() -> None:
    run(ROUND_BYTES // 20)
