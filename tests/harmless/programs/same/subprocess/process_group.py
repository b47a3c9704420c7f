# python-at-least: 3.11
"""A program in a process group of its own."""

import subprocess
import sys

code = "import os; print(os.getpgrp() == os.getpid())"
subprocess.run([sys.executable, "-c", code], process_group=0, check=True)
