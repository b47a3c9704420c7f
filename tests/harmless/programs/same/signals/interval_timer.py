"""A timer that comes again and again."""

import signal
import time

count = 0


def handler(*_):
    global count
    count += 1
    if count == 20:
        signal.setitimer(signal.ITIMER_REAL, 0)


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
until = time.monotonic() + 20
while count < 20 and time.monotonic() < until:
    time.sleep(0.01)
time.sleep(0.1)
print(count)
