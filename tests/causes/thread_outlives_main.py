"""The main function has returned; Python waits for a thread that waits for its next job."""
# expect: waiting-forever LIKELY
# ending: hang
# hang_after: 2

import queue
import threading

jobs: "queue.SimpleQueue[int]" = queue.SimpleQueue()


def work() -> None:
    while True:
        number = jobs.get()  # <- here
        if number < 0:
            return


def run(end: bool) -> None:
    threading.Thread(target=work).start()
    jobs.put(1)
    if end:
        jobs.put(-1)


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
