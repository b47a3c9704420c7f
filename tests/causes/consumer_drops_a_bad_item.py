"""A consumer drops an item that it does not understand, and the main thread computes with the result that is not there."""
# expect: background-error-lost LIKELY
# ending: 1

import logging
import queue
import threading

log = logging.getLogger(__name__)


def consume(items: "queue.Queue[dict[str, str] | None]", results: dict[str, int]) -> None:
    while (item := items.get()) is not None:
        try:
            results["value"] = int(item["value"])  # <- here
        except (KeyError, ValueError):
            log.debug("bad item")


def run(name: str) -> None:
    items: queue.Queue[dict[str, str] | None] = queue.Queue()
    results: dict[str, int] = {}
    consumer = threading.Thread(target=consume, args=(items, results), daemon=True)
    consumer.start()
    items.put({name: "3"})
    items.put(None)
    consumer.join()
    print(results.get("value").bit_length())  # type: ignore[union-attr]


def die() -> None:
    run("valeu")


def spare() -> None:
    run("value")
