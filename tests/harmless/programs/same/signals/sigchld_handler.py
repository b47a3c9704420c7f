"""Children are reaped by a handler, one by one."""

import os
import signal
import time

reaped = []


def reap(number, frame):
    while True:
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if child == 0:
            return
        reaped.append(os.waitstatus_to_exitcode(status))


signal.signal(signal.SIGCHLD, reap)
for n in range(5):
    if os.fork() == 0:
        os._exit(n)
until = time.monotonic() + 10
while len(reaped) < 5 and time.monotonic() < until:
    time.sleep(0.02)
print(sorted(reaped))
