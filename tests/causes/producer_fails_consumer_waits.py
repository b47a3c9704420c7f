"""A producer fails in its thread; the main thread waits for what it should have made."""
# expect: background-error-lost LIKELY
# ending: hang
# hang_after: 2

import queue
import threading


def produce(items: "queue.Queue[float]", numbers: list[int]) -> None:
    for number in numbers:
        items.put(1 / number)  # <- here


def run(numbers: list[int]) -> None:
    items: queue.Queue[float] = queue.Queue()
    threading.Thread(target=produce, args=(items, numbers), name="producer").start()
    print([items.get() for _ in numbers])


def die() -> None:
    run([2, 1, 0])


def spare() -> None:
    run([3, 2, 1])
