"""A hundred calls deep in a recursion that ends well, a null pointer is read: the stack is not at fault."""
# expect: user-native-crashed LIKELY
# ending: SIGSEGV

import ctypes


def descend(depth: int, address: int) -> int:
    if depth == 0:
        return ctypes.c_int.from_address(address).value  # <- here
    return descend(depth - 1, address)


def die() -> None:
    descend(100, 8)


def spare() -> None:
    descend(100, ctypes.addressof(ctypes.c_int(1)))
