# status: SIGABRT
"""abort of C, with C's message."""

import ctypes

libc = ctypes.CDLL(None)
libc.__assert_fail(b"false", b"file.c", 5, b"function")
