"""write and malloc resolve to libc."""

import ctypes

libc = ctypes.CDLL(None)
print(libc.write(1, b"through libc\n", 13), libc.getpid() > 0)
