# terminal: leader
# types: \x03
"""Ctrl-C arrives once, and is caught."""

import signal
import time

count = 0


def handler(*_):
    global count
    count += 1


signal.signal(signal.SIGINT, handler)
print("<ready>", flush=True)
until = time.monotonic() + 20
while count == 0 and time.monotonic() < until:
    time.sleep(0.01)
time.sleep(0.3)
print("count", count)
