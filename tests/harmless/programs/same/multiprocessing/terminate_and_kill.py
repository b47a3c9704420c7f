"""Workers that are ended from outside."""

import multiprocessing
import time

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    for way in ("terminate", "kill"):
        worker = context.Process(target=time.sleep, args=(60,))
        worker.start()
        getattr(worker, way)()
        worker.join()
        print(way, worker.exitcode)
