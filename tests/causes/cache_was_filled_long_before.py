"""A cache with a bound fills and stays: what ends the program is one block that is larger than the rest of the room."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 300

import time
from collections import OrderedDict


class Recent:
    def __init__(self, most: int) -> None:
        self.kept: OrderedDict[int, bytes] = OrderedDict()
        self.most = most

    def add(self, number: int) -> None:
        self.kept[number] = number.to_bytes(4, "big") * 250_000
        if len(self.kept) > self.most:
            self.kept.popitem(last=False)


def whole(megabytes: int) -> int:
    block = bytearray()
    for _ in range(megabytes):
        block += b"x" * 1_000_000  # <- here
        time.sleep(0.002)
    return len(block)


def run(megabytes: int) -> None:
    recent = Recent(170)
    for number in range(2000):
        recent.add(number)
        time.sleep(0.001)
    whole(megabytes)


def die() -> None:
    run(300)


def spare() -> None:
    run(20)
