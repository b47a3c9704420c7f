# documented-on: 3.14: files: the C stack that 3.14 adds has a frame of the handler that calls it
# status: SIGSEGV
"""The trace goes into the program's file."""

import ctypes
import faulthandler

file = open("trace.txt", "w")
faulthandler.enable(file, all_threads=False)
ctypes.string_at(0)
