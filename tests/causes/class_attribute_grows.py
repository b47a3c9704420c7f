"""A method stores each result on the object; a dictionary that only grows."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 200

import time


class Collector:
    def __init__(self) -> None:
        self.parts: dict[int, bytes] = {}

    def collect(self, number: int) -> None:
        self.parts[number] = b"%d" % number * 500_000  # <- here


def run(count: int) -> None:
    collector = Collector()
    for number in range(count):
        collector.collect(number)
        time.sleep(0.001)


def die() -> None:
    run(2000)


def spare() -> None:
    run(30)
