"""A little is kept in a loop that waits; then one call, which lets no other thread run, asks for more than there is."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 300

import time


def run(pieces: int, length: int) -> None:
    kept = []
    for number in range(pieces):
        kept.append(bytes([number]) * 1_000_000)
        time.sleep(0.02)
    whole = bytearray(b"\1") * length  # <- here
    print(len(kept), len(whole))


def die() -> None:
    run(60, 400_000_000)


def spare() -> None:
    run(10, 20_000_000)
