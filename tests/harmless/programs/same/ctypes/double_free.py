# status: SIGABRT
"""malloc finds that its heap is broken."""

import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
block = libc.malloc(424)
libc.free(ctypes.c_void_p(block))
libc.free(ctypes.c_void_p(block))
