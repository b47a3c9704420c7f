"""All is done; the function that was registered for the end gives a null pointer to native code."""
# expect: crashed-at-exit LIKELY
# ending: SIGSEGV

import atexit
import ctypes


class Device:
    def __init__(self, address: int | None) -> None:
        self.address = address
        atexit.register(self.close)

    def close(self) -> None:
        print(ctypes.string_at(self.address))  # <- here


def run(address: int | None) -> None:
    device = Device(address)
    print("all is saved", device)


def die() -> None:
    run(None)


TEXT = ctypes.create_string_buffer(b"some text")


def spare() -> None:
    run(ctypes.addressof(TEXT))
