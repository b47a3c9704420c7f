"""printf and puts of C are flushed at the end."""

import ctypes

libc = ctypes.CDLL(None)
libc.puts(b"by puts")
libc.printf(b"by printf %s\n", b"text")
print("by print", flush=True)
