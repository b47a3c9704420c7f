# same-on: 3.13t
# status: SIGSEGV
# documented: stderr: the recorder's thread is in a dump of all threads
"""The traces of all threads."""

import ctypes
import faulthandler
import time

faulthandler.enable()
time.sleep(0.2)
ctypes.string_at(0)
