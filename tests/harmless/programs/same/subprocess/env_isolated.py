"""Isolated, without site, without variables: each says what it is."""

import subprocess
import sys

for option in ("-I", "-E", "-s", "-B"):
    code = "import sys; print(sys.flags.isolated, sys.flags.no_site, sys.flags.ignore_environment, len(sys.path) > 2)"
    subprocess.run([sys.executable, option, "-c", code], check=True)
