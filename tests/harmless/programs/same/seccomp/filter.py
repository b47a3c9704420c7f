"""A filter that forbids one call with an error: the rest works."""

import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
code = (
    struct.pack("HBBI", 0x20, 0, 0, 0)
    + struct.pack("HBBI", 0x15, 0, 1, 83)
    + struct.pack("HBBI", 0x06, 0, 0, 0x50000 | 13)
    + struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
)
kept = ctypes.create_string_buffer(code)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


program = Program(4, ctypes.addressof(kept))
print(libc.prctl(22, 2, ctypes.byref(program), 0, 0))
try:
    os.mkdir("forbidden")
except PermissionError as error:
    print(error)
child = os.fork()
if child == 0:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
