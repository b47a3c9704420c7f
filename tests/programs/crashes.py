"""Crashes in a way of choice, with a thread that waits: ``crashes.py plain|collecting|thread``."""

import ctypes
import gc
import sys
import threading


def crash():
    ctypes.string_at(0)


class Cycle:
    def __del__(self):
        crash()


def collect():
    cycle = Cycle()
    cycle.itself = cycle
    del cycle
    gc.collect()


def main(way):
    ready, never = threading.Event(), threading.Event()

    def wait_for_nothing():
        ready.set()
        never.wait()

    threading.Thread(target=wait_for_nothing, daemon=True).start()
    ready.wait()
    if way == "thread":
        worker = threading.Thread(target=crash)
        worker.start()
        worker.join()
    elif way == "collecting":
        collect()
    else:
        crash()


main(sys.argv[1])
