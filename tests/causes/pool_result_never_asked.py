"""``apply_async`` of a pool of processes fails; nobody gets the result."""
# expect: background-error-lost PROVEN
# ending: 0

import multiprocessing


def decode(text: str) -> int:
    return int(text)  # <- here


def run(texts: list[str]) -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for text in texts:
            pool.apply_async(decode, (text,))
        pool.close()
        pool.join()


def die() -> None:
    run(["1", "two"])


def spare() -> None:
    run(["1", "2"])
