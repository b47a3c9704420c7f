"""The thread that fills the queue fails; the main thread waits for a while, and dies of an empty queue."""
# expect: background-error-lost LIKELY
# ending: 1

import queue
import threading

ROWS = 5


def fill(rows: "queue.Queue[int]", bad: int) -> None:
    for number in range(ROWS):
        rows.put(100 // (number - bad))  # <- here


def consume(bad: int) -> int:
    rows: queue.Queue[int] = queue.Queue()
    threading.Thread(target=fill, args=(rows, bad), daemon=True).start()
    return sum(rows.get(timeout=1.0) for _ in range(ROWS))


def die() -> None:
    consume(bad=3)


def spare() -> None:
    consume(bad=-1)
