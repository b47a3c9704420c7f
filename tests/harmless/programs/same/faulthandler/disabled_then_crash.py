# status: SIGABRT
"""Switched off: abort in silence."""

import faulthandler
import os

print("before", flush=True)
faulthandler.disable()
os.abort()
