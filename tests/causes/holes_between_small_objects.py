"""Millions of short-lived tuples are made at once; the few that are kept keep Python's allocator from returning the rest."""
# expect: fragmented-heap PROVEN
# ending: SIGKILL
# memory: 300

import time

WORDS = 1_000_000
EVERY = 50
BLOCK_BYTES = 2_000_000


def parsed(count: int) -> list:
    return [(number, f"word {number}", float(number)) for number in range(count)]


def run(count: int, blocks: int) -> None:
    kept = []
    for entry in parsed(count):
        if entry[0] % EVERY == 0:
            kept.append(entry)  # <- here
    room = []
    for number in range(blocks):
        room.append(bytes([number]) * BLOCK_BYTES)
        time.sleep(0.01)
    print(len(kept), len(room))


def die() -> None:
    run(WORDS, 100)


def spare() -> None:
    run(WORDS // 20, 40)
