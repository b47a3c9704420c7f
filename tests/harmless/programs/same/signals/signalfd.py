"""signalfd, through libc."""

import ctypes
import os
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
mask = (ctypes.c_ulong * 16)(1 << (signal.SIGUSR1 - 1))
number = libc.signalfd(-1, mask, 0)
os.kill(os.getpid(), signal.SIGUSR1)
print(struct.unpack("I", os.read(number, 128)[:4]), number > 2)
