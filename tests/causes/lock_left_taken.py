"""An exception between acquire and release, caught further up: the next one waits for ever."""
# expect: deadlocked LIKELY
# ending: hang
# hang_after: 2

import threading


class Store:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.values: dict[str, int] = {}

    def read(self, name: str) -> int:
        self.lock.acquire()  # <- here
        value = self.values[name]
        self.lock.release()
        return value


def total(store: Store, names: list[str]) -> int:
    result = 0
    for name in names:
        try:
            result += store.read(name)
        except KeyError:
            continue
    return result


def die() -> None:
    store = Store()
    store.values["b"] = 1
    print(total(store, ["a", "b"]))


def spare() -> None:
    store = Store()
    store.values["b"] = 1
    print(total(store, ["b", "a"]))
