"""The name of the process is changed."""

import ctypes

libc = ctypes.CDLL(None)
libc.prctl(15, b"mine", 0, 0, 0)
print(open("/proc/self/comm").read().strip())
