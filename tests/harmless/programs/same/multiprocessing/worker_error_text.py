# status: 0
"""The traceback that a worker prints."""

import multiprocessing


def fail():
    raise ValueError("in a worker")


if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=fail, name="failing")
    worker.start()
    worker.join()
    print(worker.exitcode)
