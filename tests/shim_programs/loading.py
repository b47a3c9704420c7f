"""refresh() while another thread is inside dlopen must wait for it: loading.py LIBRARY."""

import ctypes
import os
import sys
import threading

import common

shim = common.start()
reading, writing = os.pipe()
os.environ["SLOW_FD"] = str(reading)
order = []
libc = ctypes.CDLL(None)
libc.dlopen.restype = ctypes.c_void_p
libc.dlopen.argtypes = (ctypes.c_char_p, ctypes.c_int)


def load():  # without the GIL, unlike ctypes.CDLL
    libc.dlopen(sys.argv[1].encode(), os.RTLD_NOW)
    order.append("loaded")


def refreshing():
    common.refresh(shim)
    order.append("refreshed")


loader = threading.Thread(target=load)
loader.start()
common.wait_for_test()  # the test saw "inside"
refresher = threading.Thread(target=refreshing)
refresher.start()
refresher.join(0.3)
assert refresher.is_alive() == (shim is not None), "refresh() did not wait"
os.write(writing, b"x")
loader.join()
refresher.join()
ctypes.CDLL(sys.argv[1]).slow_say()
