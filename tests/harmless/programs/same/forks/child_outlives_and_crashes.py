"""A child crashes; the parent sees the signal and goes on."""

import ctypes
import os

child = os.fork()
if child == 0:
    ctypes.string_at(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
