"""A library that takes its own faults and goes on."""

import ctypes
import sys

import common

shim = common.start()
library = ctypes.CDLL(sys.argv[1])
library.install()
common.refresh(shim)
print(library.recovers(300))
