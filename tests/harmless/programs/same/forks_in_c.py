"""A library that forks by itself: Python's hooks do not run, and whoever has Python's lock then has it in the child for ever."""

import ctypes
import os

libc = ctypes.CDLL(None)
for _ in range(150):
    child = libc.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
child = libc.fork()
if child == 0:
    os.write(2, b"a word\n")
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
