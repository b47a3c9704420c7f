"""``Queue.join`` waits for a ``task_done`` that the worker forgets."""
# expect: deadlocked LIKELY
# ending: hang
# hang_after: 2

import queue
import threading


class Worker(threading.Thread):
    def __init__(self, jobs: "queue.Queue[int]", careful: bool) -> None:
        super().__init__(daemon=True)
        self.jobs = jobs
        self.careful = careful

    def run(self) -> None:
        while True:
            number = self.jobs.get()
            if number % 2 or self.careful:
                self.jobs.task_done()


def run(careful: bool) -> None:
    jobs: queue.Queue[int] = queue.Queue()
    Worker(jobs, careful).start()
    for number in range(4):
        jobs.put(number)
    jobs.join()  # <- here


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
