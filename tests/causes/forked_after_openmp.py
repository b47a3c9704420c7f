"""A worker is forked after OpenMP has started its threads, and waits in OpenMP for threads that only its parent has."""
# expect: forked-after-threads LIKELY
# ending: hang
# hang_after: 2
# made_by: native_waits.sh

import ctypes
import multiprocessing


def library() -> ctypes.CDLL:
    found = ctypes.CDLL("./libnative_waits.so")
    found.total.restype = ctypes.c_double
    return found


def work(count: int) -> None:
    print(library().total(count))  # <- here


def run(before: bool) -> None:
    if before:
        work(1000)
    worker = multiprocessing.get_context("fork").Process(target=work, args=(1000,))
    worker.start()
    worker.join()


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
