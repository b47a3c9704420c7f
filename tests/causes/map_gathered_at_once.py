"""What a pool's threads make is gathered in one tuple, which has no name until the last of them is done."""
# expect: kept-in-container PROVEN
# ending: SIGKILL
# memory: 200

import time
from concurrent.futures import ThreadPoolExecutor


def rendered(number: int) -> bytearray:
    time.sleep(0.0005)
    return bytearray(number.to_bytes(4, "little") * 50_000)


def album(count: int) -> int:
    pages = tuple(map(rendered, range(count)))  # <- here
    return len(pages)


def run(count: int) -> None:
    with ThreadPoolExecutor(1) as pool:
        print(pool.submit(album, count).result())


def die() -> None:
    run(5000)


def spare() -> None:
    run(30)
