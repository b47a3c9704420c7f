"""Leave a daemon behind that waits until a pipe is closed, and end: ``leaves_a_daemon.py WAIT_FOR TELL``."""

import os
import sys

wait_for, tell = int(sys.argv[1]), int(sys.argv[2])
if os.fork() == 0:
    os.setsid()
    os.write(tell, b"alive")
    os.read(wait_for, 1)
    os.write(tell, b"released")
    os._exit(0)
os._exit(5)
