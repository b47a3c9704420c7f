"""A library of the user's own needs another one that is not installed."""
# expect: shared-library-missing PROVEN
# ending: 1
# made_by: missing_library.sh

import ctypes


class Filter:
    def __init__(self) -> None:
        self.native = ctypes.CDLL("./libfilter.so")  # <- here

    def run(self) -> int:
        return int(self.native.blend())


def die() -> None:
    print(Filter().run())


def spare() -> None:
    ctypes.CDLL("./kept/libblend.so.2", ctypes.RTLD_GLOBAL)
    print(Filter().run())
