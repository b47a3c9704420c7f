# status: SIGSEGV
"""SIGSEGV that was sent."""

import os
import signal

print("before", flush=True)
os.kill(os.getpid(), signal.SIGSEGV)
