# ci
# terminal: job
# types: \x03
"""A program that makes itself a process group is still in the foreground: Ctrl-C arrives."""

import os
import signal
import time

seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
os.setpgrp()
print("<ready>", flush=True)
until = time.monotonic() + 5
while not seen and time.monotonic() < until:
    time.sleep(0.01)
print("seen", len(seen))
