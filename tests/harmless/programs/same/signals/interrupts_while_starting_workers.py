# slow
"""Ctrl-C while workers are started: each is raised, none is lost.

The workers are kept: Python itself loses what is raised in the callback of a weak reference, and multiprocessing has one for each.
"""

import multiprocessing
import os
import signal
import threading
import time

WANTED = 20


def nothing():
    pass


def interrupt(asked):
    for turn in range(1, WANTED + 1):
        while len(asked) < turn:
            time.sleep(0.01)
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    asked, kept, caught = [], [], 0
    threading.Thread(target=interrupt, args=(asked,), daemon=True).start()
    while caught < WANTED:
        try:
            asked.append(1)
            while True:
                kept.append(context.Process(target=nothing))
                kept[-1].start()
                kept[-1].join()
        except KeyboardInterrupt:
            caught += 1
    print(caught, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
