# status: 1
"""The trace of a failed check."""

import subprocess

subprocess.check_output(["sh", "-c", "echo partly; exit 3"])
