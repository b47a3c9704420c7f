# status: SIGTERM
"""Handlers come and go; the default action is what it was."""

import os
import signal

print(signal.signal(signal.SIGTERM, signal.SIG_IGN))
os.kill(os.getpid(), signal.SIGTERM)
print(signal.signal(signal.SIGTERM, signal.SIG_DFL), flush=True)
os.kill(os.getpid(), signal.SIGTERM)
