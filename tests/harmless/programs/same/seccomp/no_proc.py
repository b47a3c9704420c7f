# needs: root
# needs: command unshare
"""Without /proc."""

import subprocess
import sys

code = 'mount -t tmpfs none /proc && exec "$0" -c \'import os, time; time.sleep(0.3); print(os.listdir("/proc")); os._exit(5)\''
print(subprocess.run(["unshare", "-m", "sh", "-c", code, sys.executable], capture_output=True))
