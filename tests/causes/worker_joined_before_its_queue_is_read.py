"""A worker is joined before what it has put into a queue is read: it cannot end until somebody reads."""
# expect: deadlocked LIKELY
# ending: hang
# hang_after: 2

import multiprocessing
from multiprocessing.queues import Queue


def work(results: "Queue[bytes]", length: int) -> None:
    results.put(b"x" * length)


def run(length: int) -> None:
    context = multiprocessing.get_context("fork")
    results: Queue[bytes] = context.Queue()
    worker = context.Process(target=work, args=(results, length))
    worker.start()
    worker.join()  # <- here
    print(len(results.get()))


def die() -> None:
    run(10_000_000)


def spare() -> None:
    run(1_000)
