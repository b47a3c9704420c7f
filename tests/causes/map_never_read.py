"""``executor.map`` keeps the error until its results are read, which nobody does."""
# expect: background-error-lost PROVEN
# ending: 0

import contextlib
from concurrent.futures import ThreadPoolExecutor


class Resizer:
    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes

    def __call__(self, name: str) -> int:
        return self.sizes[name] // 2  # <- here


def die() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.map(Resizer({"a": 1}), ["a", "b"])


def spare() -> None:
    with ThreadPoolExecutor(1) as pool:
        results = pool.map(Resizer({"a": 1}), ["a", "b"])
        with contextlib.suppress(KeyError):
            print(list(results))
