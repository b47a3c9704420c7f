"""Use up the stack of a thread that Python does not know: used_up_stack.py LIBRARY DEPTH."""

import ctypes
import sys

import common

shim = common.start()
deep = ctypes.CDLL(sys.argv[1])
common.refresh(shim)
deep.in_a_thread(int(sys.argv[2]))
