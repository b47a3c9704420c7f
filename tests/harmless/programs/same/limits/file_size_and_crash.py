# status: SIGSEGV
"""A crash under a small limit on files."""

import ctypes
import resource
import signal

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
print("before", flush=True)
ctypes.string_at(0)
