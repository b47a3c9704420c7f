"""The program's own fault handler writes to a file of its own: other_fault_file.py PATH."""

import ctypes
import faulthandler
import sys

import common

shim = common.start()
with open(sys.argv[1], "w") as file:
    faulthandler.enable(file=file)
    if shim is not None:
        shim.last_words(file.fileno())
    common.refresh(shim)
    file.write("nothing of this is kept")
    file.flush()
    ctypes.string_at(0)
