"""A worker of a process pool crashes in native code; the parent gets BrokenProcessPool."""
# expect: user-native-crashed LIKELY
# ending: 1

import ctypes
from concurrent.futures import ProcessPoolExecutor


def read(address: int) -> bytes:
    buffer = ctypes.create_string_buffer(b"mask")
    return ctypes.string_at(address or buffer, 4)  # <- here


def run(addresses: list[int]) -> None:
    with ProcessPoolExecutor(1) as pool:
        print(list(pool.map(read, addresses)))


def die() -> None:
    run([0, 8])


def spare() -> None:
    run([0, 0])
