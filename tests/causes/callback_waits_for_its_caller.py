"""The main thread holds a lock while native code works; that calls back in a thread of its own, and the callback wants the lock."""
# expect: deadlocked LIKELY
# ending: hang
# hang_after: 2
# made_by: native_waits.sh

import contextlib
import ctypes
import threading

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


class Fit:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.library = ctypes.CDLL("./libnative_waits.so")
        self.callback = CALLBACK(self.progress)

    def progress(self, step: int) -> int:
        with self.lock:  # <- here
            return step

    def run(self, locked: bool) -> None:
        with self.lock if locked else contextlib.nullcontext():
            self.library.call_in_thread(self.callback)  # <- here


def die() -> None:
    Fit().run(True)


def spare() -> None:
    Fit().run(False)
