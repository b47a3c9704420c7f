"""A native library has started its one thread; the child of a bare fork asks it for a step, and it is not there."""
# expect: forked-after-threads LIKELY
# ending: hang
# hang_after: 2
# made_by: native_waits.sh

import ctypes
import os


class Pool:
    def __init__(self) -> None:
        self.library = ctypes.CDLL("./libnative_waits.so")

    def begin(self) -> None:
        self.library.start()
        self.step()

    def step(self) -> None:
        self.library.step()  # <- here


def run(before: bool) -> None:
    pool = Pool()
    if before:
        pool.begin()
    child = os.fork()
    if child == 0:
        if not before:
            pool.begin()
        pool.step()
        os._exit(0)
    os.waitpid(child, 0)


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
