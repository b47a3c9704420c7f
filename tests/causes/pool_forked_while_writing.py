"""A pool is forked while a thread of the parent writes under a lock; each task of the pool takes that lock."""
# expect: forked-after-threads PROVEN
# ending: hang
# hang_after: 2

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import ClassVar


class Log:
    lock = threading.RLock()
    lines: ClassVar[list[str]] = []

    @classmethod
    def write(cls, line: str) -> None:
        with cls.lock:  # <- here
            cls.lines.append(line)


def task(number: int) -> int:
    Log.write(f"task {number}")
    return number


def write_slowly(begun: threading.Event, end: threading.Event) -> None:
    with Log.lock:
        begun.set()
        end.wait()


def run(fork_in_between: bool) -> None:
    begun, end = threading.Event(), threading.Event()
    writer = threading.Thread(target=write_slowly, args=(begun, end), daemon=True)
    writer.start()
    begun.wait()
    if not fork_in_between:
        end.set()
        writer.join()
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        print(list(pool.map(task, range(3))))


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
