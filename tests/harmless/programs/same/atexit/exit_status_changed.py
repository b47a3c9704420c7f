# status: 7
"""os._exit in a function at exit decides the status."""

import atexit
import os
import sys

atexit.register(os._exit, 7)
print("main", flush=True)
sys.exit(2)
