"""A memory of the newest steps is bounded, by far more steps than fit: the bound is never reached."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 250

import time


class Steps:
    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: list[bytearray] = []

    def add(self, step: bytearray) -> None:
        if len(self.kept) >= self.most:
            self.kept[len(step) % self.most] = step
        else:
            self.kept.append(step)  # <- here


def run(count: int, most: int) -> None:
    steps = Steps(most)
    for number in range(count):
        steps.add(bytearray(number.to_bytes(4, "little") * 100_000))
        time.sleep(0.001)


def die() -> None:
    run(5_000, 50_000)


def spare() -> None:
    run(100, 50)
