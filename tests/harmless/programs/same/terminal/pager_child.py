# terminal: leader
"""A child writes to the terminal."""

import os
import subprocess

print("before", flush=True)
subprocess.run(["sh", "-c", "test -t 1 && echo on a terminal"])
print(os.ttyname(0).startswith("/dev/"))
