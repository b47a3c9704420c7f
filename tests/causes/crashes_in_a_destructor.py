"""All is done and printed; then the library's exit handler crashes."""
# expect: crashed-at-exit PROVEN
# ending: SIGSEGV

import ctypes


def leave(argument: object) -> None:
    library = ctypes.CDLL(None)
    library.__cxa_atexit.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    strlen = ctypes.cast(library.strlen, ctypes.c_void_p)
    library.__cxa_atexit(
        strlen, argument, None
    )  # as a static object of C++ does with its destructor
    print("all is saved")


def die() -> None:
    leave(None)


def spare() -> None:
    leave(ctypes.cast(ctypes.c_char_p(b"some text"), ctypes.c_void_p))
