"""What was in a buffer is written by both."""

import os
import sys

sys.stdout.write("in the buffer\n")
child = os.fork()
if child:
    os.waitpid(child, 0)
