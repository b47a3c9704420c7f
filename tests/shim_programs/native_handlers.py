"""C handlers put over the shim's: native_handlers.py LIBRARY (compiled from says.c)."""

import ctypes
import os
import signal
import sys

import common

NODEFER, RESETHAND = 0x40000000, 0x80000000 - (1 << 32)
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))
shim = common.start()
library = ctypes.CDLL(sys.argv[1])
common.refresh(shim)
assert library.is_default(signal.SIGTERM), "the library sees our handler"
library.install(signal.SIGUSR1, NODEFER)
common.refresh(shim)
os.kill(os.getpid(), signal.SIGUSR1)
assert library.how_often() == 1 and got == [signal.SIGUSR1], (library.how_often(), got)
library.install(signal.SIGTERM, RESETHAND)
common.refresh(shim)
os.kill(os.getpid(), signal.SIGTERM)
assert library.how_often() == 2
assert library.is_default(signal.SIGTERM), "SA_RESETHAND"
common.refresh(shim)
common.ready()
os.kill(os.getpid(), signal.SIGTERM)
