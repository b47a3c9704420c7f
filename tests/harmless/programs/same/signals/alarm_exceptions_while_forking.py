# ci
"""What a handler raises while the program forks is raised, every time; afterwards no signal is blocked."""

import os
import signal


class Late(Exception):
    pass


def handler(number, frame):
    raise Late


signal.signal(signal.SIGALRM, handler)
caught = 0
for turn in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + turn % 10 * 0.0003)
        while True:
            child = os.fork()
            if child == 0:
                os._exit(0)
            while True:
                try:
                    os.waitpid(child, 0)
                    break
                except ChildProcessError:
                    break
    except Late:
        caught += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
print(caught, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
