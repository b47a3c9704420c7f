"""An object in a module is let go when the interpreter ends, and its handle is no longer valid."""
# expect: crashed-at-exit PROVEN
# ending: SIGSEGV

import ctypes


class Handle:
    def __init__(self, address: int) -> None:
        self.address = address

    def __del__(self, read=ctypes.string_at) -> None:
        read(self.address, 1)


BUFFER = ctypes.create_string_buffer(b"abc")
KEPT = []


def die() -> None:
    KEPT.append(Handle(8))


def spare() -> None:
    KEPT.append(Handle(ctypes.addressof(ctypes.create_string_buffer(b"abc"))))
    KEPT.clear()
