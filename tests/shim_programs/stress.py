"""Everything at once: refreshes, libraries that come and go, forks, handlers that change: stress.py LIBRARY."""

import ctypes
import os
import signal
import sys
import threading
import time
import warnings

import common

warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads
shim = common.start()
libc = ctypes.CDLL(None)
libc.dlopen.restype = ctypes.c_void_p
libc.dlopen.argtypes = (ctypes.c_char_p, ctypes.c_int)
libc.dlclose.argtypes = (ctypes.c_void_p,)
done = threading.Event()


def refreshes():
    while not done.is_set():
        common.refresh(shim)


def loads():
    while not done.is_set():
        libc.dlclose(libc.dlopen(sys.argv[1].encode(), os.RTLD_NOW))


def forks():
    for _ in range(60):
        child = os.fork()
        if child == 0:
            common.refresh(shim)
            common.refresh(shim)
            grandchild = os.fork()
            if grandchild == 0:
                os._exit(0)
            os._exit(os.waitpid(grandchild, 0)[1])
        if os.waitpid(child, 0)[1] != 0:
            os._exit(3)
    done.set()


threads = [threading.Thread(target=what) for what in (refreshes, refreshes, loads, forks)]
for thread in threads:
    thread.start()
got = []
while not done.is_set():
    got.clear()
    signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))
    os.kill(os.getpid(), signal.SIGUSR1)
    while not got:
        time.sleep(0)
    assert len(got) == 1, got
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.kill(os.getpid(), signal.SIGUSR1)
for thread in threads:
    thread.join()
print("done")
