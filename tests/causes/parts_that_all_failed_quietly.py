"""Every task of a pool meets an error, logs it quietly and returns nothing; the main thread cannot join nothing."""
# expect: background-error-lost LIKELY
# ending: 1

import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np

log = logging.getLogger("parts")


class Source:
    def __init__(self, size: int) -> None:
        self.size = size

    def part(self, rows: int) -> "np.ndarray | None":
        try:
            return np.zeros(self.size).reshape(rows, 2)  # <- here
        except Exception:
            log.debug("part %d failed", rows, exc_info=True)
            return None


def run(size: int) -> None:
    source = Source(size)
    with ThreadPoolExecutor(2) as pool:
        parts = [part for part in pool.map(source.part, [4, 4, 4]) if part is not None]
    print(np.concatenate(parts).shape)


def die() -> None:
    run(7)


def spare() -> None:
    run(8)
