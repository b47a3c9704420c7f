"""ulimit -v again: what does not fit is the stack of one more thread."""
# expect: address-space-limit LIKELY
# ending: 1
# address_space: 1500

import threading


def wait_in_threads(count: int) -> None:
    done = threading.Event()
    threads = [threading.Thread(target=done.wait, args=(20,), daemon=True) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()  # <- here
    finally:
        done.set()


def die() -> None:
    wait_in_threads(400)


def spare() -> None:
    wait_in_threads(3)
