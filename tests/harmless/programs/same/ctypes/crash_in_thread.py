# status: SIGSEGV
"""A crash in a thread."""

import ctypes
import threading

print("before", flush=True)
thread = threading.Thread(target=ctypes.string_at, args=(0,))
thread.start()
thread.join()
