"""A grandchild keeps the pipe open."""

import subprocess
import sys

code = "import subprocess; subprocess.Popen(['sh', '-c', 'sleep 0.3; echo late']); print('child', flush=True)"
print(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout)
