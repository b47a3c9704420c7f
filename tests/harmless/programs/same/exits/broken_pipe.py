# needs: command sh
"""The reader goes away: BrokenPipeError, as always."""

import os
import subprocess
import sys

code = "import sys\nfor n in range(100000): print(n)"
reader = subprocess.Popen(["head", "-n", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
writer = subprocess.run([sys.executable, "-c", code], stdout=reader.stdin, stderr=subprocess.PIPE)
reader.stdin.close()
print(reader.stdout.read(), reader.wait(), writer.returncode, b"BrokenPipeError" in writer.stderr)
