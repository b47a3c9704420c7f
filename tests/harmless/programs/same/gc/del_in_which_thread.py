# ci
"""Destructors of cyclic garbage run in the program's own threads."""

import threading
import time

seen = set()
local = threading.local()
local.mine = True


class Thing:
    def __init__(self):
        self.me = self

    def __del__(self):
        seen.add(hasattr(local, "mine"))


until = time.monotonic() + 3
while time.monotonic() < until:
    for _ in range(200):
        Thing()
    time.sleep(0)
print(seen)
