"""Handlers run between instructions, in the order of their numbers."""

import os
import signal

seen = []
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, lambda number, frame: seen.append((number, frame.f_code.co_name)))
signal.pthread_sigmask(signal.SIG_BLOCK, {1, 10, 12, 15})
for number in (15, 12, 10, 1):
    os.kill(os.getpid(), number)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {1, 10, 12, 15})
print(sorted(seen))
