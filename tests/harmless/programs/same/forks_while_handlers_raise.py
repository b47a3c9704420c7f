"""A timeout that a signal handler raises arrives wherever the program is, around a fork too; and no signal stays blocked."""

import os
import signal


class Late(Exception):
    pass


def late(number, frame):
    raise Late


def fork_until_late(seconds):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    while True:
        if os.fork() == 0:
            os._exit(0)


def reap():
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


signal.signal(signal.SIGALRM, late)
caught = 0
for turn in range(120):
    try:
        fork_until_late(0.001 + turn % 10 * 0.0003)
    except Late:
        caught += 1
    reap()
print(caught, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
