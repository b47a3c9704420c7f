"""A process pool's worker takes too much; the parent lives and gets BrokenProcessPool."""
# expect: worker-out-of-memory PROVEN
# ending: 1
# memory: 300

import time
from concurrent.futures import ProcessPoolExecutor


def work(megabytes: int) -> int:
    with open("/proc/self/oom_score_adj", "w") as file:  # the kernel takes this one first
        file.write("1000")
    block = bytearray()
    for _ in range(megabytes):
        block += b"x" * 1_000_000  # <- here
        time.sleep(0.001)  # <- here
    return len(block)


def run(megabytes: int) -> None:
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(work, megabytes).result())


def die() -> None:
    run(1000)


def spare() -> None:
    run(10)
