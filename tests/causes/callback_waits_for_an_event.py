"""Native code waits for its own thread, which calls a Python function; that waits for an event which is set after the native call."""
# expect: waiting-forever LIKELY
# ending: hang
# hang_after: 2
# made_by: native_waits.sh

import ctypes
import threading

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
may_go = threading.Event()


@CALLBACK
def told(step: int) -> int:
    may_go.wait()  # <- here
    return step


def run(first: bool) -> None:
    library = ctypes.CDLL("./libnative_waits.so")
    if first:
        may_go.set()
    library.call_in_thread(told)
    may_go.set()


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
