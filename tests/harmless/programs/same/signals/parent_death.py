"""A child that is told when its parent thread dies (PR_SET_PDEATHSIG)."""

import ctypes
import os
import signal

libc = ctypes.CDLL(None)
read_end, write_end = os.pipe()
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild == 0:
        os.close(read_end)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        libc.prctl(1, signal.SIGUSR1)
        os.write(write_end, b"ready")
        got = signal.sigtimedwait({signal.SIGUSR1}, 10)
        os.write(write_end, b" told" if got else b" nothing")
        os._exit(0)
    os.read(read_end, 5)
    os._exit(0)
os.close(write_end)
os.waitpid(child, 0)
with open(read_end, "rb") as pipe:
    print(pipe.read())
