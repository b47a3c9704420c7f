# status: SIGSEGV
"""A crash in C."""

import ctypes

print("before", flush=True)
ctypes.string_at(0)
