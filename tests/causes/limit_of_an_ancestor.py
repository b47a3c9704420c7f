"""The program's own cgroup has no limit; the one above it has, as in a session's slice or a pod."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 200
# ancestor: yes

import time


def collect(count: int) -> int:
    row = bytearray()
    for number in range(count):
        row += number.to_bytes(2, "big") * 500_000  # <- here
        time.sleep(0.001)  # <- here
    return len(row)


def die() -> None:
    collect(1000)


def spare() -> None:
    collect(20)
