"""Throws where it is asked to: ``throws.py WAY``. For every Python from 3.9 on."""

import concurrent.futures
import multiprocessing
import os
import sys
import threading
import traceback


class Wrong(Exception):
    pass


def fail(text="no"):
    raise Wrong(text)


def main():
    fail()


def chained():
    try:
        fail("first")
    except Wrong as error:
        raise RuntimeError("second") from error


def during():
    try:
        fail("first")
    except Wrong:
        raise RuntimeError("second")  # noqa: B904  # the context is the point


def hidden():
    try:
        fail("first")
    except Wrong:
        raise RuntimeError("second") from None


def noted():
    try:
        fail()
    except Wrong as error:
        error.add_note("look at the labels")
        raise


def syntax():
    compile("x = 1\nif:\n", "/somewhere/config.py", "exec")


def thread():
    worker = threading.Thread(target=fail, name="loader")
    worker.start()
    worker.join()


def future():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for number in range(4):
            pool.submit(fail, f"future {number}").exception()


def many_and_main():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for number in range(200):
            pool.submit(fail, f"future {number}").exception()
    fail("the last")


def many_slowly():
    import time

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for number in range(90):
            pool.submit(fail, f"future {number}").exception()
        time.sleep(0.2)  # longer than the recorder leaves between the later ones
        pool.submit(fail, "future after a while").exception()


def grouped():
    raise ExceptionGroup("two of them", [Wrong("no labels"), KeyError("weights")])  # noqa: F821


def worker(method):
    process = multiprocessing.get_context(method).Process(target=fail, args=("worker",), name="W1")
    process.start()
    process.join()


def fork():
    worker("fork")


def spawn():
    worker("spawn")


def silent():
    class Silent(Exception):
        def __str__(self):
            raise ValueError("no words")

    raise Silent


class Spoken(Exception):
    def __str__(self):
        return f"number {self.args[0]}"


def spoken():
    concurrent.futures.ThreadPoolExecutor().submit(raise_, Spoken(3)).exception()
    thread = threading.Thread(target=raise_, args=(Spoken(4),))
    thread.start()
    thread.join()
    try:
        raise_(Spoken(1))
    except Spoken as first:
        raise Spoken(2) from first


def raise_(error):
    raise error


def caught():
    try:
        fail()
    except Wrong:
        pass


def secret():
    fail(f"cannot log in with {sys.argv[-1]}")


def long():
    fail("x" * 100_000)


def deep():
    def down(n):
        return fail() if n == 0 else down(n - 1)

    down(400)


def system_exit():
    sys.exit("bye")


class Writer:
    def __init__(self, path):
        self.file = open(path, "wb")  # noqa: SIM115
        self.file.write(b"1234")


def cut_off():
    folder = sys.argv[2]
    text = open(f"{folder}/text", "w")  # noqa: SIM115
    text.write("ab")
    text.write("cde")
    more = [open(f"{folder}/umlaut", "w", encoding="utf-8")]  # noqa: SIM115
    more[0].write("\xfc")
    writer = Writer(f"{folder}/bytes")
    flushed = open(f"{folder}/flushed", "w")  # noqa: SIM115
    flushed.write("12")
    flushed.flush()
    print("12345")
    os._exit(0 if writer else 1)


def cut_off_threads():
    ready, never = threading.Event(), threading.Event()
    threading.Thread(target=never.wait).start()

    def leave():
        ready.wait()
        os._exit(0)

    threading.Thread(target=leave, daemon=True).start()
    ready.set()
    while True:
        pass


def shows():
    def load(path):
        raise Wrong(path)

    try:
        load("data/a.jpg")
    except Wrong:
        traceback.print_exc()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
