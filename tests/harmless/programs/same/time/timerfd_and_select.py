"""select with a time limit wakes up when it should, not before."""

import select
import time

before = time.monotonic()
print(select.select([], [], [], 0.3), time.monotonic() - before >= 0.3)
