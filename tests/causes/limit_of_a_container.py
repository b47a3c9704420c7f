"""In a container the kernel log cannot be used: the counters of the cgroup decide."""
# expect: memory-limit-reached PROVEN
# ending: 137
# memory: 200
# container: yes

import time


class Cache:
    def __init__(self) -> None:
        self.block = bytearray()

    def fill(self, count: int) -> None:
        for number in range(count):
            self.block += b"%d" % number * 300_000  # <- here
            time.sleep(0.001)  # <- here


def die() -> None:
    Cache().fill(2000)


def spare() -> None:
    Cache().fill(20)
