"""A user who may have few processes makes a new pool of threads for every batch, and never shuts one down."""
# expect: too-many-threads LIKELY
# ending: 1
# root: yes

import os
import resource
import threading
from concurrent.futures import ThreadPoolExecutor

#: A user that nobody else is: the limit counts all threads of a user, wherever they run.
NOBODY_ELSE = 54_321


def predict(batch: int, pools: list[ThreadPoolExecutor], ready: threading.Event) -> None:
    pool = ThreadPoolExecutor(max_workers=4)
    pools.append(pool)
    for _ in range(4):
        pool.submit(ready.wait, 20)  # <- here


def run(batches: int) -> None:
    resource.setrlimit(resource.RLIMIT_NPROC, (40, 40))
    os.setuid(NOBODY_ELSE)
    pools: list[ThreadPoolExecutor] = []
    ready = threading.Event()
    try:
        for batch in range(batches):
            predict(batch, pools, ready)
    finally:
        ready.set()
        for pool in pools:
            pool.shutdown()


def die() -> None:
    run(60)


def spare() -> None:
    run(2)
