"""The producer ends without its end mark, and the consumer waits for the next item."""
# expect: waiting-forever LIKELY
# ending: hang
# hang_after: 2

import queue
import threading


def produce(items: "queue.Queue[int | None]", mark: bool) -> None:
    for number in range(3):
        items.put(number)
    if mark:
        items.put(None)


def consume(items: "queue.Queue[int | None]") -> int:
    total = 0
    while True:
        item = items.get()  # <- here
        if item is None:
            return total
        total += item


def run(mark: bool) -> None:
    items: queue.Queue[int | None] = queue.Queue()
    threading.Thread(target=produce, args=(items, mark)).start()
    print(consume(items))


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
