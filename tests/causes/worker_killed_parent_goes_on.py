"""A multiprocessing worker is killed for memory; the parent shrugs and ends with status 3."""
# expect: worker-out-of-memory PROVEN
# ending: 3
# memory: 300

import multiprocessing
import sys
import time


def work(megabytes: int) -> None:
    with open("/proc/self/oom_score_adj", "w") as file:  # the kernel takes this one first
        file.write("1000")
    block = bytearray()
    for number in range(megabytes):
        block += number.to_bytes(4, "big") * 250_000  # <- here
        time.sleep(0.001)  # <- here


def run(megabytes: int) -> int:
    context = multiprocessing.get_context("fork")
    worker = context.Process(target=work, args=(megabytes,))
    worker.start()
    worker.join()
    return 3 if worker.exitcode else 0


def die() -> None:
    sys.exit(run(1000))


def spare() -> None:
    sys.exit(run(5))
