"""Garbage that is kept for debugging holds the program's objects alone."""

import gc
import time

gc.collect()
gc.set_debug(gc.DEBUG_SAVEALL)


class Mine:
    pass


for _ in range(5):
    mine = Mine()
    mine.me = mine
del mine
time.sleep(0.3)
gc.collect()
gc.set_debug(0)
print(
    sum(isinstance(one, Mine) for one in gc.garbage),
    [type(one).__module__ for one in gc.garbage if "outlive" in type(one).__module__],
)
