"""A worker of a pool holds its part of the data and waits for work; a process that is not the program's fills the group, and the worker is killed."""
# expect: neighbour-filled-memory PROVEN
# ending: 1
# memory: 300
# neighbour: 160

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

held = bytearray()


def load(megabytes: int) -> int:
    global held
    held = bytearray(b"x") * (megabytes * 1_000_000)
    return len(held)


def wait() -> int:
    os.read(int(os.environ["VICTIM_WAITS"]), 1)
    return len(held)


def run(megabytes: int, wait_for_ever: bool) -> None:
    read, write = os.pipe()
    os.environ["VICTIM_WAITS"] = str(read)
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        print(pool.submit(load, megabytes).result())
        os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
        if not wait_for_ever:
            os.write(write, b"x")
        print(pool.submit(wait).result())


def die() -> None:
    run(170, True)


def spare() -> None:
    run(17, False)
