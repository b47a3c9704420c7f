"""A program is started at exit."""

import atexit
import subprocess
import sys

atexit.register(
    lambda: print(subprocess.run([sys.executable, "-c", "print('late')"], capture_output=True))
)
