"""A function that takes a lock calls another one that takes the same lock."""
# expect: deadlocked PROVEN
# ending: hang
# hang_after: 2

import threading

CACHE_LOCK = threading.Lock()
cache: dict[str, int] = {}


def put(key: str, value: int) -> None:
    with CACHE_LOCK:  # <- here
        cache[key] = value


def refresh(nested: bool) -> None:
    CACHE_LOCK.acquire()
    try:
        cache.clear()
        if nested:
            put("size", 0)
    finally:
        CACHE_LOCK.release()
    put("size", 1)


def die() -> None:
    refresh(True)


def spare() -> None:
    refresh(False)
