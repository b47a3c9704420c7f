"""A thread pool is given blocks faster than it writes them: all that wait lie in the queue of the pool."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 300

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event


def write(block: bytes, disk: Event) -> int:
    disk.wait()
    return len(block)


def work(blocks: int, disk: Event) -> None:
    pool = ThreadPoolExecutor(2)
    for _ in range(blocks):
        block = os.urandom(200_000)
        pool.submit(write, block, disk)  # <- here


def die() -> None:
    work(100_000, Event())


def spare() -> None:
    disk = Event()
    disk.set()
    work(50, disk)
