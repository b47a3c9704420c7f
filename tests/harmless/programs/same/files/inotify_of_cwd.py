"""A watch on the folder of the program sees its own changes alone."""

import ctypes
import os
import struct
import time

libc = ctypes.CDLL(None)
handle = libc.inotify_init1(os.O_NONBLOCK)
libc.inotify_add_watch(handle, b".", 0xFFF)
time.sleep(0.3)
try:
    print(os.read(handle, 4096))
except BlockingIOError:
    print("nothing")
open("mine", "w").close()
data, names = os.read(handle, 4096), set()
while data:
    _, mask, _, length = struct.unpack("iIII", data[:16])
    names.add((hex(mask), data[16 : 16 + length].strip(b"\0")))
    data = data[16 + length :]
print(sorted(names))
