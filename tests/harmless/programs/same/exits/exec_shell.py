# status: 6
"""A shell takes its place."""

import os

print("before", flush=True)
os.execl("/bin/sh", "sh", "-c", "echo in the shell; exit 6")
