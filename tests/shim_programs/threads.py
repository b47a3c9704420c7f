"""16 threads write to stderr, some through C."""

import ctypes
import os
import threading

import common

shim = common.start()
libc = ctypes.CDLL(None)
stream = ctypes.c_void_p.in_dll(libc, "stderr")
gate = threading.Barrier(16)


def hammer(number):
    gate.wait()
    for i in range(100):
        if number % 2:
            os.write(2, b"thread %02d line %03d\n" % (number, i))
        else:
            libc.fprintf(stream, b"thread %02d line %03d\n", number, i)


threads = [threading.Thread(target=hammer, args=(n,)) for n in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
