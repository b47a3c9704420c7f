"""Pages are locked in memory."""

import ctypes
import mmap

libc = ctypes.CDLL(None)
block = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(block))
print(libc.mlock(ctypes.c_void_p(address), 4096), libc.munlock(ctypes.c_void_p(address), 4096))
