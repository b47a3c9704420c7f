# documented-on: 3.14: stderr: the C stack that 3.14 adds has a frame of the handler that calls it
# python: -X faulthandler
# status: SIGSEGV
"""The option writes its traces of one's own thread to stderr."""

import ctypes
import faulthandler

print(faulthandler.is_enabled(), flush=True)
faulthandler.enable(all_threads=False)
ctypes.string_at(0)
