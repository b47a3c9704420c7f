# ci
"""errno of the thread itself is not changed between two calls."""

import ctypes

libc = ctypes.CDLL(None)
location = libc.__errno_location
location.restype = ctypes.POINTER(ctypes.c_int)
pointer = location()
changes = 0
for _ in range(200_000):
    pointer[0] = 77
    changes += pointer[0] != 77
print(changes)
