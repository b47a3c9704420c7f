"""Send a signal to a process and stay until stdin closes: sender.py PID SIGNAL MARKER.

It stays because of a process that has ended only the number is left.
"""

import os
import sys

os.kill(int(sys.argv[1]), int(sys.argv[2]))
os.write(1, b"sent\n")
os.read(0, 1)
