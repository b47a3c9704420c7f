# status: 3
"""A program that starts itself again with a mark in the environment."""

import os
import subprocess
import sys

if "AGAIN" in os.environ:
    print("again", sys.argv[1:], flush=True)
    sys.exit(3)
sys.exit(
    subprocess.run([sys.executable, __file__, "x"], env={**os.environ, "AGAIN": "1"}).returncode
)
