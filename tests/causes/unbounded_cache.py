"""An lru_cache without a bound, filled from a thread."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 250

import functools
import threading
import time


@functools.cache  # <- here
def rendered(number: int) -> bytes:  # <- here
    return number.to_bytes(4, "big") * 250_000


def fill(count: int) -> None:
    for number in range(count):
        rendered(number)
        time.sleep(0.001)


def run(count: int) -> None:
    worker = threading.Thread(target=fill, args=(count,), name="renderer")
    worker.start()
    worker.join()


def die() -> None:
    run(3000)


def spare() -> None:
    run(30)
