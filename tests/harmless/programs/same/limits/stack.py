# status: SIGSEGV
"""The C stack is used up: the program dies of it. A small one: 3.12 and later end a recursion before 8 MB are full."""

import ctypes
import resource
import sys

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
print("before", flush=True)
libc = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
sys.setrecursionlimit(10**6)


def down(a, b):
    array = (ctypes.c_int * 2)(2, 1)
    libc.qsort(array, 2, 4, callback)
    return 0


callback = COMPARE(down)
down(None, None)
