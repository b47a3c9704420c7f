"""NumPy's library for linear algebra starts a thread for each core when it is imported; it interrupts the program when it cannot."""
# expect: too-many-threads LIKELY
# ending: SIGINT
# tasks: 24
# needs: tensorflow

import os
import threading

os.environ["OPENBLAS_NUM_THREADS"] = "2"


def multiply() -> float:
    import numpy as np  # <- here

    return float((np.ones((64, 64)) @ np.ones((64, 64))).sum())


def fill(done: threading.Event) -> None:
    """Start threads until no further one is to be had."""
    try:
        while True:
            threading.Thread(target=done.wait, args=(20,), daemon=True).start()
    except RuntimeError:
        print("that was the last")


def die() -> None:
    fill(threading.Event())
    multiply()


def spare() -> None:
    multiply()
