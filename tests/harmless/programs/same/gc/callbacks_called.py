"""Callbacks of the collector are called by the program's collections, in the program's thread."""

import gc
import threading
import time

seen = set()
gc.callbacks.append(
    lambda phase, info: seen.add((phase, threading.get_ident() == threading.main_thread().ident))
)
until = time.monotonic() + 1
while time.monotonic() < until:
    [[[]] for _ in range(2000)]
gc.collect()
gc.callbacks.clear()
print(sorted(seen))
