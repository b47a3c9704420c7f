# status: 0
"""A Python handler for SIGABRT that was sent."""

import os
import signal

signal.signal(signal.SIGABRT, lambda number, frame: print("handled", number))
os.kill(os.getpid(), signal.SIGABRT)
print("alive")
