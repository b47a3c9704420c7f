"""A handler in C that was set past Python stays."""

import ctypes
import os
import signal

libc = ctypes.CDLL(None)
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
seen = []
handler = HANDLER(seen.append)
libc.signal.restype = ctypes.c_void_p
libc.signal(signal.SIGUSR1, handler)
os.kill(os.getpid(), signal.SIGUSR1)
print(seen, signal.getsignal(signal.SIGUSR1))
