"""Say who it is, wait for a line, go on as it says: ``talks.py``."""

import os
import sys

print(os.getpid(), flush=True)
wish = sys.stdin.readline().strip()
print("heard", wish, flush=True)
if wish == "fail":
    raise ValueError("as was wished")
sys.exit(9)
