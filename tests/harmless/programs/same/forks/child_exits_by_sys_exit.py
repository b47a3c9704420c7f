"""The child leaves by sys.exit and calls its functions at exit."""

import atexit
import os
import sys

atexit.register(lambda: os.write(1, b"at exit\n"))
child = os.fork()
if child == 0:
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
