# python: -bb
# status: 1
"""Comparisons of bytes and text are errors: ours are none."""

import time

time.sleep(0.3)
print("before", flush=True)
b"" == ""
