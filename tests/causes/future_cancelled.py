"""The pool is shut down with what waits in it cancelled; the result is asked for afterwards."""
# expect: operation-cancelled PROVEN
# ending: 1

import threading
from concurrent.futures import Future, ThreadPoolExecutor


def run(cancel: bool) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> bool:
        begun.set()
        return may_end.wait(30)

    pool = ThreadPoolExecutor(1)
    first = pool.submit(hold)
    second: Future[int] = pool.submit(int, "2")
    begun.wait()
    if cancel:
        pool.shutdown(wait=False, cancel_futures=True)  # <- here
    may_end.set()
    print(first.result(), second.result())
    pool.shutdown()


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
