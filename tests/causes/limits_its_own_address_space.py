"""The program limits its own address space at the last moment: no sample from outside has seen it."""
# expect: address-space-limit PROVEN
# ending: 1
# needs: tensorflow
# alone: it limits its whole process

import resource

import numpy as np


def guarded(megabytes: int, room: int) -> np.ndarray:
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + room * 1_000_000,) * 2)
    return np.zeros((megabytes, 1_000_000), np.uint8)  # <- here


def die() -> None:
    guarded(900, 500)


def spare() -> None:
    guarded(300, 500)
