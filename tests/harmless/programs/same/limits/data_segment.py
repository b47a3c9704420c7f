"""A limit on data."""

import resource

resource.setrlimit(resource.RLIMIT_DATA, (500 << 20, 500 << 20))
try:
    bytearray(600 << 20)
except MemoryError:
    print("refused", resource.getrlimit(resource.RLIMIT_DATA))
