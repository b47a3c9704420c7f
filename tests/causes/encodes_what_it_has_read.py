"""One method reads a text, which stays; the next one fills its buffer until the limit. One line calls both."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 300

import time

PART = 1_000_000


class Job:
    def __init__(self) -> None:
        self.text = bytearray()
        self.encoded = bytearray()

    def read(self, parts: int) -> None:
        for _ in range(parts):
            self.text += b"r" * PART
            time.sleep(0.003)

    def encode(self, times: int) -> None:
        for _ in range(times):
            for start in range(0, len(self.text), PART):
                self.encoded.extend(self.text[start : start + PART])  # <- here
                time.sleep(0.003)  # <- here


def run(parts: int, times: int) -> None:
    job = Job()
    _, _ = job.read(parts), job.encode(times)


def die() -> None:
    run(140, 100)


def spare() -> None:
    run(14, 2)
