"""A module that is taken out and imported anew works."""

import sys
import subprocess

first = subprocess
del sys.modules["subprocess"]
import subprocess

print(first is subprocess, subprocess.run(["true"]).returncode, first.run(["true"]).returncode)
