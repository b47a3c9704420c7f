"""Callbacks from C."""

import ctypes

libc = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
array = (ctypes.c_int * 5)(5, 3, 1, 4, 2)
libc.qsort(array, 5, 4, COMPARE(lambda a, b: a[0] - b[0]))
print(list(array))
