# ci
"""What is ignored at the start stays ignored, in a chain of programs."""

import subprocess
import sys

code = "import signal; print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGHUP))"
subprocess.run(["sh", "-c", 'trap "" HUP INT; exec "$0" -c "$1"', sys.executable, code], check=True)
