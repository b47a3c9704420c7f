# status: SIGKILL
"""Strict mode: anything but read, write, exit kills."""

import ctypes
import os

libc = ctypes.CDLL(None)
print("before", flush=True)
libc.prctl(22, 1, 0, 0, 0)
os.getpid()
os.stat("/")
