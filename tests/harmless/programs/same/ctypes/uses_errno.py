"""errno of C calls is kept apart."""

import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.close(-1)
first = ctypes.get_errno()
time.sleep(0.3)
print(first, ctypes.get_errno(), ctypes.set_errno(5), ctypes.get_errno())
