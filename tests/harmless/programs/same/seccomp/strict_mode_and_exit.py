# status: 3
"""Strict mode, and the exit that it allows."""

import ctypes

libc = ctypes.CDLL(None)
print("before", flush=True)
call = libc.syscall
libc.prctl(22, 1, 0, 0, 0)
call(60, 3)
