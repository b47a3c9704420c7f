"""fork through libc, past Python's hooks."""

import ctypes
import os

libc = ctypes.CDLL(None)
child = libc.fork()
if child == 0:
    os.write(1, b"child\n")
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
