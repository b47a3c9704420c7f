"""What a process object tells."""

import multiprocessing
import os


def work():
    os._exit(4)


if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(target=work, name="a worker", daemon=True)
    print(worker.name, worker.daemon, worker.exitcode, worker.pid, worker.is_alive())
    worker.start()
    worker.join()
    print(
        worker.exitcode,
        worker.is_alive(),
        isinstance(worker.sentinel, int),
        repr(worker).split("parent")[0].startswith("<ForkProcess name='a worker'"),
    )
    worker.close()
    try:
        worker.exitcode
    except ValueError as error:
        print(error)
