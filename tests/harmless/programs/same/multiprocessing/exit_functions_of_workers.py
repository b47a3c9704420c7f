"""What a worker does at its end: its finalizers, not the program's functions at exit."""

import atexit
import multiprocessing
import multiprocessing.util
import os


def work():
    multiprocessing.util.Finalize(None, os.write, (1, b"finalizer\n"), exitpriority=1)
    atexit.register(os.write, 1, b"at exit of the worker\n")


if __name__ == "__main__":
    atexit.register(os.write, 1, b"at exit of the program\n")
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
