"""stderr from C and from a child, in order."""

import ctypes
import os
import sys

libc = ctypes.CDLL(None)
libc.dprintf(2, b"from C %d\n", 5)
sys.stderr.write("from Python\n")
os.system("echo from a shell >&2")
libc.perror(b"perror")
