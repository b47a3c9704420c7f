"""A native library calls exit(): Python never shuts down."""
# expect: exited-without-cleanup LIKELY
# ending: 5

import ctypes


def leave(code: int) -> None:
    libc = ctypes.CDLL(None)
    end = libc._exit if code else libc.abs
    libc.usleep(400_000), end(code)  # <- here


def die() -> None:
    leave(5)


def spare() -> None:
    leave(0)
