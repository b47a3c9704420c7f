"""A worker of a multiprocessing pool is killed for memory; the pool replaces it, and the parent waits for a result that is lost."""
# expect: worker-out-of-memory PROVEN
# ending: hang
# memory: 300
# hang_after: 2

import multiprocessing
import time


def work(megabytes: int) -> int:
    with open("/proc/self/oom_score_adj", "w") as file:  # the kernel takes this one first
        file.write("1000")
    block = bytearray()
    for number in range(megabytes):
        block += bytes([number % 251]) * 1_000_000  # <- here
        time.sleep(0.001)  # <- here
    return len(block)


def run(megabytes: int) -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.apply(work, (megabytes,)))


def die() -> None:
    run(1000)


def spare() -> None:
    run(5)
