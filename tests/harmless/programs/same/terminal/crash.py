# terminal: leader
"""A crash on a terminal."""

import ctypes

print("before", flush=True)
ctypes.string_at(0)
