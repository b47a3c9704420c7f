"""What a spawned worker sees of the start."""

import multiprocessing
import sys


def look():
    print(
        len(sys.argv),
        [path for path in sys.path if "outlive" in path],
        __name__,
        multiprocessing.current_process().name,
        flush=True,
    )


if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=look)
    worker.start()
    worker.join()
