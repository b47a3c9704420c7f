"""The same with multiprocessing."""

import multiprocessing
import resource
import signal


def nothing():
    pass


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    worker = multiprocessing.get_context("fork").Process(target=nothing)
    worker.start()
    worker.join()
    print(worker.exitcode)
