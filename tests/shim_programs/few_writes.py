"""Write to stderr a little in every way: few_writes.py LIBRARY (compiled from says.c)."""

import ctypes
import os
import sys

import common

shim = common.start()
libc = ctypes.CDLL(None)
stream = ctypes.c_void_p.in_dll(libc, "stderr")
print("python print", file=sys.stderr, flush=True)
os.write(2, b"os write\n")
os.writev(2, [b"os ", b"writev\n"])
print("NOT THIS", flush=True)
libc.fprintf(stream, b"ctypes %s %d\n", b"fprintf", 42)
library = ctypes.CDLL(sys.argv[1])
common.refresh(shim)
assert library.say_all() == 0
