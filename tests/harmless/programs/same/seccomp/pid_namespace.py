# needs: root
# needs: command unshare
"""A Python as the first process of a name space."""

import subprocess
import sys

done = subprocess.run(
    [
        "unshare",
        "-p",
        "-f",
        "--mount-proc",
        sys.executable,
        "-c",
        "import os; print(os.getpid()); os._exit(3)",
    ],
    capture_output=True,
)
print(done)
