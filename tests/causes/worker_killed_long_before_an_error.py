"""A worker that keeps everything is killed for memory; the parent goes on, and ends a while later of an error of its own."""
# expect: uncaught-exception PROVEN
# ending: 1
# memory: 300

import multiprocessing
import time


def work(megabytes: int) -> None:
    with open("/proc/self/oom_score_adj", "w") as file:  # the kernel takes this one first
        file.write("1000")
    kept = []
    for number in range(megabytes):
        kept.append(number.to_bytes(4, "big") * 250_000)
        time.sleep(0.002)


def run(megabytes: int, key: str) -> int:
    context = multiprocessing.get_context("fork")
    worker = context.Process(target=work, args=(megabytes,))
    worker.start()
    worker.join()
    time.sleep(1.2)
    return {"a": 1}[key]  # <- here


def die() -> None:
    run(1000, "b")


def spare() -> None:
    run(5, "a")
