"""Die of a real fault: crash.py KIND none|before|after (faulthandler, relative to the shim)."""

import ctypes
import faulthandler
import os
import sys
import threading

import common

kind, dumps = sys.argv[1], sys.argv[2]
if dumps == "before":
    faulthandler.enable()
shim = common.start()
if dumps == "after":
    faulthandler.enable()
common.refresh(shim)
libc = ctypes.CDLL(None)


def segv():
    ctypes.string_at(0)


def segv_in_thread():
    thread = threading.Thread(target=segv)
    thread.start()
    thread.join()


def abort():
    os.abort()


def assertion():
    libc.__assert_fail(b"cat == dog", b"pets.c", 12, b"walk")


def bad_free():
    libc.free.argtypes = (ctypes.c_void_p,)
    libc.free(ctypes.addressof(ctypes.create_string_buffer(64)) + 8)


def raised():
    libc.raise_ = libc["raise"]
    libc.raise_(int(sys.argv[3]))


def bus():
    import mmap
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.truncate(mmap.PAGESIZE)
        view = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        file.truncate(0)
        view[0]


globals()[kind]()
