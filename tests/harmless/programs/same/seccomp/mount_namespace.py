# needs: root
# needs: command unshare
"""A name space of mounts with a file system of its own on /tmp."""

import subprocess
import sys

code = 'mount -t tmpfs none /tmp && exec "$0" -c \'import os; print(os.listdir("/tmp"))\''
print(subprocess.run(["unshare", "-m", "sh", "-c", code, sys.executable], capture_output=True))
