"""One thread for each picture, in a container that allows few."""
# expect: too-many-threads PROVEN
# ending: 1
# tasks: 50

import threading


class Loader:
    def __init__(self) -> None:
        self.done = threading.Event()

    def load(self) -> None:
        self.done.wait(20)

    def begin(self, count: int) -> list[threading.Thread]:
        threads = [threading.Thread(target=self.load, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()  # <- here
        return threads


def run(count: int) -> None:
    loader = Loader()
    threads = loader.begin(count)
    loader.done.set()
    for thread in threads:
        thread.join()


def die() -> None:
    run(200)


def spare() -> None:
    run(8)
