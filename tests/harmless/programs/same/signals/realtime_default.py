# status: SIGRTMIN
"""A real-time signal at its default ends the program."""

import os
import signal

print("before", flush=True)
os.kill(os.getpid(), signal.SIGRTMIN)
