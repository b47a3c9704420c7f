"""A Python handler for SIGSEGV that was sent, not made."""

import os
import signal

signal.signal(signal.SIGSEGV, lambda number, frame: print("handled", number))
os.kill(os.getpid(), signal.SIGSEGV)
print("alive", signal.getsignal(signal.SIGSEGV) is not None)
