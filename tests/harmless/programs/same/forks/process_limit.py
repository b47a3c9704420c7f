# needs: root
"""No process may be made: the error, and then life."""

import os
import resource

os.setresuid(12345, 12345, 12345)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    child = os.fork()
    if child == 0:
        os._exit(0)
    print("forked")
except BlockingIOError as error:
    print(type(error).__name__, error.errno)
