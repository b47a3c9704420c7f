"""A worker is forked while a thread holds a lock; in the worker nobody is there to open it."""
# expect: forked-after-threads PROVEN
# ending: hang
# hang_after: 2

import multiprocessing
import threading

LOCK = threading.Lock()


def background(taken: threading.Event, over: threading.Event) -> None:
    with LOCK:
        taken.set()
        over.wait(60)


def work() -> None:
    with LOCK:  # <- here
        print("in the worker")


def run(wait: bool) -> None:
    taken, over = threading.Event(), threading.Event()
    thread = threading.Thread(target=background, args=(taken, over), name="writer", daemon=True)
    thread.start()
    taken.wait()
    if wait:
        over.set()
        thread.join()
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
    over.set()


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
