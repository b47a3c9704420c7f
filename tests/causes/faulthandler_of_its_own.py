"""The program's own fault handler writes to a file of its own."""
# expect: user-native-crashed LIKELY
# ending: SIGSEGV

import ctypes
import faulthandler


def peek(address: int) -> int:
    return ctypes.c_int.from_address(address).value  # <- here


def work(address: int) -> None:
    with open("crash.txt", "w") as file:
        faulthandler.enable(file=file)
        peek(address)
        faulthandler.disable()


def die() -> None:
    work(64)


def spare() -> None:
    work(ctypes.addressof(ctypes.c_int(1)))
