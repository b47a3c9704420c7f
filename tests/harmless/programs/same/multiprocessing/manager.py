# slow
"""A manager process keeps a dictionary."""

import multiprocessing


def work(shared):
    shared["worker"] = 1


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        shared = manager.dict()
        worker = context.Process(target=work, args=(shared,))
        worker.start()
        worker.join()
        print(dict(shared))
