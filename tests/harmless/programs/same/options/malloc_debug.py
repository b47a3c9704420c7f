# environment: PYTHONMALLOC=debug
"""Python's allocator with its checks."""

import time

kept = [bytearray(1000) for _ in range(1000)]
time.sleep(0.3)
print(len(kept))
