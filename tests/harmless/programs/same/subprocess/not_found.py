# status: 1
"""The trace of a program that is not there."""

import subprocess

subprocess.run(["/no/such/program"])
