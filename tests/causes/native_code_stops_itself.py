"""Native code finds itself where it cannot be and stops with the trap that compilers write there; in a thread."""
# expect: illegal-instruction PROVEN
# ending: SIGILL
# needs: x86

import ctypes
import mmap
import threading

UNREACHABLE = b"\x0f\x0b"
RETURN = b"\xc3"


def call(function) -> None:
    function()  # <- here


def run(code: bytes) -> None:
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
    memory.write(code)
    function = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    worker = threading.Thread(target=call, args=(function,))
    worker.start()
    worker.join()


def die() -> None:
    run(UNREACHABLE)


def spare() -> None:
    run(RETURN)
