# needs: module cffi
"""cffi in ABI mode."""

import cffi

ffi = cffi.FFI()
ffi.cdef("int abs(int); unsigned long strlen(const char *);")
library = ffi.dlopen(None)
print(library.abs(-3), library.strlen(b"four"))
