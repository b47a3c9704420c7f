"""No collection happens while it is off."""

import gc
import time

gc.collect()
gc.disable()
before = [one["collections"] for one in gc.get_stats()]
until = time.monotonic() + 0.5
while time.monotonic() < until:
    [[] for _ in range(1000)]
print([one["collections"] for one in gc.get_stats()] == before)
