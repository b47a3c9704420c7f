# needs: command unshare
"""A shell in name spaces of its own."""

import subprocess

print(subprocess.run(["unshare", "-r", "sh", "-c", "id -u; exit 4"], capture_output=True))
