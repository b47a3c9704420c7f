"""Timers of POSIX with a signal."""

import ctypes
import signal

librt = ctypes.CDLL(None)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
timer = ctypes.c_void_p()
print(librt.timer_create(0, None, ctypes.byref(timer)))
spec = (ctypes.c_long * 4)(0, 0, 0, 50_000_000)
print(librt.timer_settime(timer, 0, spec, None), signal.sigwait({signal.SIGALRM}))
