"""A library's assertion fails in a thread of a pool."""
# expect: user-native-crashed LIKELY
# ending: SIGABRT

import ctypes
from concurrent.futures import ThreadPoolExecutor

LIBRARY = ctypes.CDLL(None)


def check(rows: int) -> int:
    if rows < 1:
        LIBRARY.__assert_fail(b"rows > 0", b"table.c", 12, b"resize")  # <- here
    return rows


def die() -> None:
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(check, [3, 2, 1, 0])))


def spare() -> None:
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(check, [3, 2, 1])))
