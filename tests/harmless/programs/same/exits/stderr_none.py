# status: 1
"""No stderr at all: the traceback is lost."""

import sys

print("out", flush=True)
sys.stderr = None
raise ValueError("nobody hears it")
