"""Generated code uses FMA4, which only a few CPUs of one maker ever had."""
# expect: illegal-instruction PROVEN
# example: yes
# ending: SIGILL
# needs: x86

import ctypes
import mmap

FMA4 = bytes.fromhex("c4 e3 71 68 c2 30")
RETURN = b"\xc3"


class Generated:
    """A function whose machine code is made at run time."""

    def __init__(self, code: bytes) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
        self._memory.write(code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self.call = ctypes.CFUNCTYPE(None)(address)


def work(code: bytes) -> None:
    function = Generated(code)
    function.call()  # <- here


def die() -> None:
    work(FMA4 + RETURN)


def spare() -> None:
    work(RETURN)
