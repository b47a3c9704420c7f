"""A producer and a consumer."""

import queue
import threading

jobs, results = queue.Queue(2), []


def consume():
    while (job := jobs.get()) is not None:
        results.append(job * 2)
        jobs.task_done()


thread = threading.Thread(target=consume)
thread.start()
for n in range(10):
    jobs.put(n)
jobs.join()
jobs.put(None)
thread.join()
print(results, jobs.empty())
