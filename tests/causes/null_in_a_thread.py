"""A null pointer is read in a thread, while the main thread waits."""
# expect: user-native-crashed LIKELY
# ending: SIGSEGV

import ctypes
import threading


class Reader(threading.Thread):
    def __init__(self, address: int) -> None:
        super().__init__(name="reader")
        self.address = address

    def run(self) -> None:
        print(ctypes.c_int.from_address(self.address).value)  # <- here


def die() -> None:
    reader = Reader(0)
    reader.start()
    reader.join()


def spare() -> None:
    block = ctypes.create_string_buffer(b"abcd")
    reader = Reader(ctypes.addressof(block))
    reader.start()
    reader.join()
