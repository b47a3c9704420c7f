"""Crash when Python is gone, as a destructor of C++ does; with a fault handler that Python has taken away by then."""

import ctypes
import faulthandler

import common

faulthandler.enable()
shim = common.start()
common.refresh(shim)
library = ctypes.CDLL(None)
library.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
library.__cxa_atexit(ctypes.cast(library.strlen, ctypes.c_void_p), None, None)
print("done")
