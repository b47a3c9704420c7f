"""The same block is freed twice: glibc notices and aborts."""
# expect: heap-corrupted PROVEN
# ending: SIGABRT

import ctypes

libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]


class Scratch:
    def __init__(self, size: int) -> None:
        self.block = libc.malloc(size)

    def close(self) -> None:
        libc.free(self.block)  # <- here


def die() -> None:
    scratch = Scratch(512)
    scratch.close()
    scratch.close()


def spare() -> None:
    print("free(): double free detected in tcache 2")
    Scratch(512).close()
