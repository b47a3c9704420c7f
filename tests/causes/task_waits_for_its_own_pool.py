"""A task of a pool with one thread waits for another task of the same pool."""
# expect: deadlocked PROVEN
# ending: hang
# hang_after: 2

from concurrent.futures import ThreadPoolExecutor


def run(workers: int) -> None:
    with ThreadPoolExecutor(workers) as pool:

        def outer() -> int:
            inner = pool.submit(int, "1")
            return inner.result() + 1  # <- here

        print(pool.submit(outer).result())


def die() -> None:
    run(1)


def spare() -> None:
    run(2)
