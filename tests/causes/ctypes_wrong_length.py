"""A length in bytes where one in elements was meant: memmove runs past the end."""
# expect: user-native-crashed LIKELY
# ending: SIGSEGV

import ctypes


def copy(target: ctypes.Array, source: bytes, count: int) -> None:
    ctypes.memmove(target, source, count)  # <- here


def die() -> None:
    copy(ctypes.create_string_buffer(64), bytes(64), 1 << 40)


def spare() -> None:
    copy(ctypes.create_string_buffer(64), bytes(64), 64)
