"""The list of children has the program's alone."""

import multiprocessing
import time

if __name__ == "__main__":
    print(multiprocessing.active_children(), multiprocessing.parent_process())
    worker = multiprocessing.get_context("fork").Process(
        target=time.sleep, args=(0.2,), name="sleeper"
    )
    worker.start()
    print([one.name for one in multiprocessing.active_children()])
    worker.join()
    print(multiprocessing.active_children())
