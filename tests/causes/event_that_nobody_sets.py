"""The main thread joins a thread that waits for an event which nobody sets; the thread's line is the one to name."""
# expect: waiting-forever LIKELY
# ending: hang
# hang_after: 2

import threading


class Loader(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="loader")
        self.ready = threading.Event()

    def run(self) -> None:
        self.ready.wait()  # <- here


def run(tell: bool) -> None:
    loader = Loader()
    loader.start()
    if tell:
        loader.ready.set()
    loader.join()


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
