"""A worker process fails; its parent joins it, does not look at its exit code, and ends with status 0."""
# expect: background-error-lost PROVEN
# ending: 0

import multiprocessing


def work(divisor: int) -> None:
    print(10 / divisor)  # <- here


def run(divisor: int, look: bool) -> None:
    worker = multiprocessing.get_context("fork").Process(target=work, args=(divisor,))
    worker.start()
    worker.join()
    if look:
        print("the worker ended with", worker.exitcode)


def die() -> None:
    run(0, look=False)


def spare() -> None:
    run(0, look=True)
