"""A program that sleeps will wake up."""
# expect: nothing
# ending: hang
# hang_after: 2

import threading
import time


def nap(seconds: float) -> None:
    helper = threading.Thread(target=time.sleep, args=(seconds,), daemon=True)
    helper.start()
    helper.join()
    time.sleep(seconds)


def die() -> None:
    nap(60)


def spare() -> None:
    nap(0.1)
