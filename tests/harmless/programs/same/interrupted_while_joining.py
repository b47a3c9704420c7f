# death
"""Ctrl-C while waiting for a worker: the trace is as it always is."""

import multiprocessing
import os
import signal
import time


def interrupt():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(0.3)
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(0.3)


if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=interrupt)
    worker.start()
    worker.join()
