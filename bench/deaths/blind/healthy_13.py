"""A flaky store is asked again with growing pauses; every error is logged with its traceback, all goes well at last."""
# expect: nothing

import logging
import random
import time

import numpy as np

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("store")


class FlakyStore:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def get(self, key):
        if self.rng.random() < 0.5:
            raise ConnectionResetError(104, "Connection reset by peer")
        if self.rng.random() < 0.2:
            raise TimeoutError("read timed out")
        return np.full(1000, key, np.float32)


def patiently(function, key, tries=8):
    for attempt in range(tries):
        try:
            return function(key)
        except (ConnectionError, TimeoutError):
            log.exception("attempt %d for %d failed", attempt, key)
            time.sleep(0.01 * 2**attempt)
    raise RuntimeError(f"{key} cannot be had")


store = FlakyStore(2)
rows = [patiently(store.get, key) for key in range(12)]
print("got", len(rows), float(np.sum(rows)))
