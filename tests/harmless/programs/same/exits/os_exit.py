# status: 5
"""No clean-up, buffers are lost, functions at exit are not called."""

import atexit
import os
import sys

atexit.register(print, "never")
sys.stdout.write("lost when buffered")
os.write(1, b"written\n")
os._exit(5)
