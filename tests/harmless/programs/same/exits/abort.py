# status: SIGABRT
"""The process aborts itself."""

import os

print("before", flush=True)
os.abort()
