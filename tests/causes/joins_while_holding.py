"""The main thread holds a lock while it waits for the end of a thread that wants this lock."""
# expect: deadlocked PROVEN
# ending: hang
# hang_after: 2

import threading


def run(hold: bool) -> None:
    lock = threading.RLock()
    results: list[int] = []

    def work() -> None:
        with lock:
            results.append(1)

    worker = threading.Thread(target=work)
    if hold:
        with lock:
            worker.start()
            worker.join()  # <- here
    else:
        with lock:
            worker.start()
        worker.join()


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
