"""A worker of a pool crashes in native code; all that the program sees is a broken pool."""
# expect: user-native-crashed LIKELY
# ending: 1

import ctypes
from concurrent.futures import ProcessPoolExecutor


def first_byte(address: int) -> int:
    return ctypes.c_ubyte.from_address(address).value  # <- here


def work(addresses: list) -> None:
    with ProcessPoolExecutor(2) as pool:
        print(sum(pool.map(first_byte, addresses)))


BUFFER = ctypes.create_string_buffer(b"abc")


def die() -> None:
    work([ctypes.addressof(BUFFER), 16])


def spare() -> None:
    work([ctypes.addressof(BUFFER)] * 3)
