"""A daemonic worker is ended with the program."""

import multiprocessing
import time

if __name__ == "__main__":
    worker = multiprocessing.get_context("fork").Process(
        target=time.sleep, args=(100,), daemon=True
    )
    worker.start()
    print("leaving")
