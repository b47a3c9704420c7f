# death
"""Allows itself a few system calls alone, writes, and ends by one of them."""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
KILL, ALLOW, LOAD, EQUAL, RETURN = 0, 0x7FFF0000, 0x20, 0x15, 0x06
NUMBERS = {
    "x86_64": (0, 1, 15, 60, 231),
    "aarch64": (63, 64, 139, 93, 94),
}  # read write sigreturn exit exit_group
allowed = NUMBERS[os.uname().machine]

lines = [(LOAD, 0, 0, 0)]
for number in allowed:
    lines += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
lines += [(RETURN, 0, 0, KILL)]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))


class Filter(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("lines", ctypes.c_void_p)]


given = Filter(len(lines), ctypes.addressof(program))
library = ctypes.CDLL(None)
words = ctypes.create_string_buffer(b"confined\n")
sys.stderr.write("before\n")
library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
if library.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(given), 0, 0) == 0:
    library.write(2, words, 9)
    library.syscall(allowed[3 + (sys.argv[-1] == "all")], 3)
os._exit(3)
