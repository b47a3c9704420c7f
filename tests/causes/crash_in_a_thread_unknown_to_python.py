"""A library starts a thread of its own, which reads a null pointer."""
# expect: user-native-crashed POSSIBLE
# ending: SIGSEGV

import ctypes
import sys


def start(argument: object) -> None:
    library = ctypes.CDLL(None)
    thread = ctypes.c_ulong()
    library.pthread_create(ctypes.byref(thread), None, library.strlen, argument)
    library.pthread_join(thread, None)


def die() -> None:
    start(None)
    sys.stdin.read()


def spare() -> None:
    start(b"some text")
