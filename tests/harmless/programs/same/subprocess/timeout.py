"""A program that takes too long is killed."""

import subprocess

try:
    subprocess.run(["sleep", "60"], timeout=0.3)
except subprocess.TimeoutExpired as error:
    print(type(error).__name__, error.cmd, error.timeout > 0)
