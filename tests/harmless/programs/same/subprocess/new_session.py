"""A program in a session of its own."""

import subprocess
import sys

code = "import os; print(os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid())"
subprocess.run([sys.executable, "-c", code], start_new_session=True, check=True)
