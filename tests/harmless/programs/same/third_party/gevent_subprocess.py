# needs: module gevent
"""subprocess after monkey.patch_all."""

from gevent import monkey

monkey.patch_all()
import subprocess
import sys

print(subprocess.run([sys.executable, "-c", "import sys; sys.exit(3)"]).returncode)
